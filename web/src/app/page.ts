import type { Schema } from '@kith/client'
import type { LucideIcon } from 'lucide-preact'
import type { ComponentType } from 'preact'
import type { Listing, Reading } from './api.ts'
import type { Boot } from './site.ts'
import type { Language } from './words.ts'

export type Visit = {
  path: string
  params: Record<string, string>
  search: URLSearchParams
} & Pick<Boot, 'language' | 'viewer' | 'origin'>

export type Head = {
  title: string
  description?: string
  canonical?: string
  image?: { url: string; alt: string }
  type?: 'website' | 'article' | 'profile'
  data?: object
  atom?: string
  isPrivate?: boolean
}

/** Reads cached data of a page for its head. */
export type Known = {
  one<T>(reading: Reading<T>): T
  all<T, I>(listing: Listing<T, I>): I[]
}

export type Page = {
  /**
   * Queries that the server runs while it renders, and the browser while it navigates. The page fails if one fails.
   */
  queries?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  /** Optional queries. If one fails, its part of the page stays empty. */
  extras?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  /** Path for a redirect, once the queries have run. */
  redirect?(visit: Visit, known: Known): string | undefined
  head(visit: Visit, known: Known): Head
  body: ComponentType<{ visit: Visit }>
}

export const definePage = (page: Page): Page => page

export type Route = { path: string; page: string; access?: 'members' | 'guests' }

export type MenuEntry = {
  path: string
  label: Record<Language, string>
  icon: LucideIcon
  order: number
  for: 'all' | 'members'
  /** Shown in the bottom bar of phones too. */
  isMain?: boolean
  /** Shown in that bar only. */
  isOnTelephones?: boolean
  /** A hook that counts new items. Null hides the entry. */
  useCount?: () => number | null
}

/** A text that the server generates without the application, such as an Atom feed. */
export type Document = {
  path: string
  type: string
  make(given: {
    params: Record<string, string>
    search: URLSearchParams
    origin: string
    language: Language
    api: import('@kith/client').Kith
  }): Promise<string>
}

export type SiteModule = {
  routes?: Route[]
  menu?: MenuEntry[]
  /** Shown below every page, such as the player. */
  Bar?: ComponentType
}

export type Person = Schema<'User'>
