import { DOCUMENTS as COLLECTED } from 'virtual:documents'
import { createClient, isKithError, type Kith } from '@kith/client'
import { dehydrate, QueryClientProvider } from '@tanstack/preact-query'
import { renderToString } from 'preact-render-to-string'
import { parse } from 'regexparam'
import { matchRoute, Router } from 'wouter-preact'
import { createCache } from './app/api.ts'
import { App, titleOf } from './app/app.tsx'
import { documentOf } from './app/document.ts'
import { movedTo } from './app/moved.ts'
import { type Boot, SiteContext, type Theme } from './app/site.ts'
import { findRoute, headOf, openVisit } from './app/visit.ts'
import type { Language } from './app/words.ts'
import { newestOf } from './modules/search/kinds.ts'
import { ZoneProvider } from './ui/time.tsx'

export type WebRequest = {
  url: string
  origin: string
  language: Language
  theme: Theme
  hasSession: boolean
  wantsPage: boolean
  nonce: string
  manifest: Manifest
  /** Calls the API in this process with the visitor's session. */
  fetch(request: Request): Promise<Response>
}

export type Manifest = { style: string; script: string; preload: string[]; pages: Record<string, string[]> }

export type WebReply = {
  status: number
  type: string
  body: string
  location?: string
  isSignedOut: boolean
}

const DOCUMENTS = COLLECTED.flatMap(({ documents }) => documents)
/**
 * Paths of content that only its deletion hides. A missing id below the newest id was therefore deleted. For
 * other content, a 410 would reveal that it is hidden.
 */
const NUMBERED = /^\/(feeds|users|questions|musics|music_specials)\/(\d{1,15})$/

export async function render(request: WebRequest): Promise<WebReply | undefined> {
  const { pathname, searchParams } = new URL(request.url, request.origin)
  const api = createClient({
    url: request.origin,
    language: request.language,
    retry: { attempts: 1 },
    fetch: (input) => request.fetch(input as Request),
  })
  for (const { path, type, make } of DOCUMENTS) {
    const [isMatch, params] = matchRoute(parse as never, path, pathname)
    if (isMatch)
      return renderDocument(type, () =>
        make({
          params: params as Record<string, string>,
          search: searchParams,
          origin: request.origin,
          language: request.language,
          api,
        }),
      )
  }
  const moved = findRoute(pathname) ? undefined : movedTo(pathname)
  if (moved)
    return { status: 301, type: 'text/html; charset=utf-8', body: '', location: moved, isSignedOut: false }
  return findRoute(pathname) || request.wantsPage ? renderPage(request, api) : undefined
}

async function renderDocument(type: string, make: () => Promise<string>): Promise<WebReply> {
  try {
    return { status: 200, type, body: await make(), isSignedOut: false }
  } catch (error) {
    if (!isKithError(error)) throw error
    return {
      status: error.status,
      type: 'text/plain; charset=utf-8',
      body: `${error.message}\n`,
      isSignedOut: false,
    }
  }
}

async function renderPage(request: WebRequest, api: Kith): Promise<WebReply> {
  const { language, theme, origin, url } = request
  let isSignedOut = false
  const [settings, viewer] = await Promise.all([
    api.get('/bootstrappers'),
    request.hasSession
      ? api.get('/user').catch((error) => {
          if (!isKithError(error) || error.status !== 401) throw error
          isSignedOut = true
          return null
        })
      : null,
  ])
  const boot: Boot = { language, theme, origin, viewer, settings }
  const cache = createCache(api)
  const shown = await openVisit(url, boot, cache)
  const type = 'text/html; charset=utf-8'
  if (shown.redirect) return { status: 303, type, body: '', location: shown.redirect, isSignedOut }
  const [path = '/', search = ''] = url.split('?')
  const body = renderToString(
    <Router ssrPath={path} ssrSearch={search}>
      <SiteContext.Provider value={{ ...boot, api }}>
        <QueryClientProvider client={cache}>
          <ZoneProvider>
            <App first={shown} />
          </ZoneProvider>
        </QueryClientProvider>
      </SiteContext.Provider>
    </Router>,
  )
  const head = headOf(shown, cache, { failed: language === 'zh' ? '页面无法显示' : 'Page not available' })
  const { status: failed = 200 } = shown.error ?? {}
  const isGone = failed === 404 && (await wasDeleted(api, path))
  return {
    status: isGone ? 410 : failed === 0 ? 503 : failed,
    type,
    isSignedOut,
    body: documentOf({
      body,
      head: { ...head, title: titleOf(head.title) },
      boot,
      cache: dehydrate(cache),
      nonce: request.nonce,
      path,
      style: request.manifest.style,
      script: request.manifest.script,
      preload: [
        ...new Set([...request.manifest.preload, ...(request.manifest.pages[shown.name ?? ''] ?? [])]),
      ],
    }),
  }
}

/** Returns whether a missing id was once in use. Search engines drop the URL after a 410. */
async function wasDeleted(api: Kith, path: string): Promise<boolean> {
  const [, kind = '', id] = NUMBERED.exec(path) ?? []
  return id !== undefined && Number(id) > 0 && Number(id) < (await newestOf(api, kind).catch(() => 0))
}
