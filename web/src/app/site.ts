import type { Kith, Schema } from '@kith/client'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Posted } from './page.ts'
import type { Language } from './words.ts'

export type Theme = 'auto' | 'light' | 'dark'

export type Boot = {
  language: Language
  theme: Theme
  origin: string
  /** Address of the document. The worker may start another page with it. */
  url: string
  viewer: Schema<'PrivateUser'> | null
  settings: Schema<'Bootstrap'>
  posted: Posted | null
}

export type Site = Boot & { api: Kith }

export const SiteContext = createContext<Site>(null as never)

export const useSite = (): Site => useContext(SiteContext)

export const useViewer = (): Boot['viewer'] => useSite().viewer
