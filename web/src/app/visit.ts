import { MODULES } from 'virtual:modules'
import { PAGES } from 'virtual:pages'
import { isKithError, KithError } from '@kith/client'
import type { QueryClient } from '@tanstack/preact-query'
import { known, knownItems, load } from './api.ts'
import { loadScript } from './failures.ts'
import { type Matcher, matcherOf } from './matcher.ts'
import type { Head, Known, Page, Route, Visit } from './page.ts'
import type { Boot } from './site.ts'

export type Shown = {
  url: string
  visit: Visit
  name: string | null
  page: Page | null
  error: KithError | null
  redirect?: string
}

const ROUTES: (Route & { matches: Matcher })[] = MODULES.flatMap(({ routes = [] }) =>
  routes.map((route) => ({ ...route, matches: matcherOf(route.path) })),
)

/** Finds the route of a path, and the one spelling of the path: `/feeds/5` also for `/Feeds/5/`. */
export function findRoute(
  asked: string,
): { route: Route; params: Record<string, string>; path: string } | null {
  for (const route of ROUTES) {
    const params = route.matches(asked)
    if (params) return { route, params, path: route.path.replace(/:(\w+)/g, (_, name) => params[name] ?? '') }
  }
  return null
}

/** Parses a path of this site. As a relative URL, `//` would name another host. */
export const addressOf = (url: string, origin: string): URL =>
  new URL(origin + (url.startsWith('/') ? url : '/'))

const gone = () => new KithError(404, 'no_such_path', '')

export async function openVisit(url: string, boot: Boot, cache: QueryClient, isBack = false): Promise<Shown> {
  const { pathname, searchParams } = addressOf(url, boot.origin)
  const found = findRoute(pathname)
  const visit: Visit = {
    path: found?.path ?? pathname,
    params: found?.params ?? {},
    search: searchParams,
    language: boot.language,
    viewer: boot.viewer,
    origin: boot.origin,
    posted: boot.posted,
  }
  const shown = { url, visit, name: found?.route.page ?? null, page: null, error: null }
  if (!found) return { ...shown, error: gone() }
  if (found.route.access === 'members' && !boot.viewer)
    return { ...shown, redirect: `/sign-in?next=${encodeURIComponent(url)}` }
  if (found.route.access === 'guests' && boot.viewer) return { ...shown, redirect: '/' }
  try {
    const { page } = await loadScript(PAGES[found.route.page] as (typeof PAGES)[string])
    await Promise.all([
      load(cache, page.queries?.(visit) ?? [], isBack),
      load(cache, page.extras?.(visit) ?? [], isBack).catch(() => {}),
    ])
    const redirect = page.redirect?.(visit, factsOf(cache))
    return { ...shown, page, ...(redirect ? { redirect } : {}) }
  } catch (error) {
    const known = isKithError(error) ? error : new KithError(500, 'page_failed', '', { cause: error })
    return { ...shown, error: known }
  }
}

const factsOf = (cache: QueryClient): Known => ({
  one: (reading) => known(cache, reading) as never,
  all: (listing) => knownItems(cache, listing),
})

export function headOf({ page, visit, error }: Shown, cache: QueryClient, words: { failed: string }): Head {
  if (!page || error) return { title: words.failed, isPrivate: true }
  return page.head(visit, factsOf(cache))
}
