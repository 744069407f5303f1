import type { Schema } from '@kith/client'
import type { LucideIcon } from 'lucide-preact'
import type { ComponentType } from 'preact'
import type { Listing, Reading } from './api.ts'
import type { Reader } from './reader.ts'
import type { Boot } from './site.ts'
import type { Language } from './words.ts'

/** Result of a form that was sent without scripts. `fields` has no password. */
export type Posted = {
  fields: Record<string, string>
  step: 'first' | 'code' | 'waiting'
  failure: string
  code: string
}

export type Visit = {
  path: string
  params: Record<string, string>
  search: URLSearchParams
  posted: Posted | null
} & Pick<Boot, 'language' | 'viewer' | 'origin'>

export type Head = {
  /** Empty for the name of the site alone. */
  title: string
  description?: string
  /** The path of the page, without a query. */
  canonical?: string
  image?: { url: string; alt: string; width?: number; height?: number }
  type?: 'website' | 'article' | 'profile'
  data?: object
  atom?: string
  isPrivate?: boolean
}

export type Known = {
  one<T>(reading: Reading<T>): T
  all<T, I>(listing: Listing<T, I>): I[]
}

export type Page = {
  queries?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  /** Optional queries. A failed query leaves its part of the page empty. */
  extras?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  redirect?(visit: Visit, known: Known): string | undefined
  head(visit: Visit, known: Known): Head
  body: ComponentType<{ visit: Visit }>
}

export const definePage = (page: Page): Page => page

export type Route = {
  path: string
  page: string
  access?: 'members' | 'guests'
  /**
   * Kind of content that only its deletion hides (`KINDS` of search). A missing id below the newest id was therefore
   * deleted, and the page answers 410. For other content, a 410 would reveal that it is hidden.
   */
  goneIn?: string
}

export type MenuEntry = {
  path: string
  label: Record<Language, string>
  icon: LucideIcon
  order: number
  for: 'all' | 'members'
  /** True if the bottom bar of phones also displays the menu entry. */
  isMain?: boolean
  /** True if only the bottom bar of phones displays the menu entry. */
  isOnTelephones?: boolean
  /** Hook that returns the number of new items. Null hides the menu entry. */
  useCount?: () => number | null
}

export type Document = {
  path: string
  type: string
  make(given: {
    params: Record<string, string>
    search: URLSearchParams
    origin: string
    language: Language
    api: Reader
  }): Promise<string>
}

export type SiteModule = {
  routes?: Route[]
  menu?: MenuEntry[]
  /** A bar below the page, which stays while the user navigates. */
  Bar?: ComponentType
  /** The member's account, in the frame of wide screens. */
  Account?: ComponentType
}

export type Person = Schema<'User'>
