import type { Schema } from '@kith/client'
import type { LucideIcon } from 'lucide-preact'
import type { ComponentType } from 'preact'
import type { Listing, Reading } from './api.ts'
import type { Boot } from './site.ts'
import type { Language } from './words.ts'

/** The address of a visit, taken apart. */
export type Visit = {
  path: string
  params: Record<string, string>
  search: URLSearchParams
} & Pick<Boot, 'language' | 'viewer' | 'origin'>

/** Content of the head of a page. */
export type Head = {
  title: string
  description?: string
  /** Path that search engines should know the page by. */
  canonical?: string
  image?: { url: string; alt: string }
  type?: 'website' | 'article' | 'profile'
  /** An object of schema.org. */
  data?: object
  /** Path of the Atom feed of the page. */
  atom?: string
  /** Search engines leave the page out. */
  isPrivate?: boolean
}

/** Reads of a page from the cache for its head. */
export type Known = {
  one<T>(reading: Reading<T>): T
  all<T, I>(listing: Listing<T, I>): I[]
}

/** A page: what it reads before it is shown, its head and its body. */
export type Page = {
  /** The server reads these while it renders, the browser while it navigates. One that fails fails the page. */
  queries?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  /** Read as well. One that fails leaves its part of the page empty. */
  extras?(visit: Visit): (Reading<unknown> | Listing<unknown, unknown>)[]
  /** Path to go to instead, once the queries are read. */
  redirect?(visit: Visit, known: Known): string | undefined
  head(visit: Visit, known: Known): Head
  body: ComponentType<{ visit: Visit }>
}

export const definePage = (page: Page): Page => page

/** One line in the routes.ts of a folder: a path, the file name of its page, and who may open it. */
export type Route = { path: string; page: string; access?: 'members' | 'guests' }

/** An entry of the menu. */
export type MenuEntry = {
  path: string
  label: Record<Language, string>
  icon: LucideIcon
  /** Place in the menu. */
  order: number
  for: 'all' | 'members'
  /** Stands in the bar at the bottom of a telephone too. */
  isMain?: boolean
  /** Stands in that bar only. */
  isOnTelephones?: boolean
  /** A hook that counts what is new; null hides the entry. */
  useCount?: () => number | null
}

/** A text that the server makes without the application, such as an Atom feed. */
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

/** Export of `routes.ts` of a folder. */
export type SiteModule = {
  routes?: Route[]
  menu?: MenuEntry[]
  /** Stands below every page, such as the player. */
  Bar?: ComponentType
}

export type Person = Schema<'User'>
