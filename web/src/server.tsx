import { DOCUMENTS as COLLECTED } from 'virtual:documents'
import { isKithError, type Kith } from '@kith/client'
import { dehydrate, QueryClientProvider } from '@tanstack/preact-query'
import { renderToString } from 'preact-render-to-string'
import { Router } from 'wouter-preact'
import { createCache } from './app/api.ts'
import { App, titleOf } from './app/app.tsx'
import { documentOf } from './app/document.ts'
import { matcherOf } from './app/matcher.ts'
import { movedTo } from './app/moved.ts'
import type { Posted } from './app/page.ts'
import { type Ask, createReader, type Reader } from './app/reader.ts'
import { type Boot, SiteContext, type Theme } from './app/site.ts'
import { addressOf, findRoute, headOf, openVisit } from './app/visit.ts'
import type { Language } from './app/words.ts'
import { FORMS } from './modules/accounts/forms.ts'
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
  /** Reads the API in this process with the visitor's session. */
  ask: Ask
  /** Set when a form of the page was sent without scripts. */
  form?: Pick<Parameters<(typeof FORMS)[string]>[0], 'fields' | 'send'>
}

export type Manifest = { style: string; script: string; preload: string[]; pages: Record<string, string[]> }

export type WebReply = {
  status: number
  type: string
  body: string
  location?: string
  isSignedOut: boolean
  account?: number
}

/** The page with the form that changes the password. */
const SECURITY = '/account/security'

const DOCUMENTS = COLLECTED.flatMap(({ documents }) =>
  documents.map((document) => ({ ...document, matches: matcherOf(document.path) })),
)
export async function render(request: WebRequest): Promise<WebReply | undefined> {
  const { pathname, searchParams } = addressOf(request.url, request.origin)
  const api = createReader(request.ask)
  if (request.form) return answerForm(request, request.form, api)
  for (const { matches, type, make } of DOCUMENTS) {
    const params = matches(pathname)
    if (params)
      return renderDocument(type, () =>
        make({
          params,
          search: searchParams,
          origin: request.origin,
          language: request.language,
          api,
        }),
      )
  }
  // Password managers open this address.
  if (pathname === '/.well-known/change-password')
    return { status: 302, type: 'text/html; charset=utf-8', body: '', location: SECURITY, isSignedOut: false }
  const isPage = findRoute(pathname) !== null
  const moved = isPage ? undefined : movedTo(pathname)
  if (moved)
    return { status: 301, type: 'text/html; charset=utf-8', body: '', location: moved, isSignedOut: false }
  return isPage || request.wantsPage ? renderPage(request, api, null) : undefined
}

async function answerForm(
  request: WebRequest,
  { fields, send }: NonNullable<WebRequest['form']>,
  api: Reader,
): Promise<WebReply | undefined> {
  const { pathname, searchParams: search } = addressOf(request.url, request.origin)
  const outcome = await FORMS[pathname]?.({ fields, search, send })
  if (outcome === undefined) return undefined
  if ('posted' in outcome) return renderPage(request, api, outcome.posted)
  const { location } = outcome
  return { status: 303, type: 'text/html; charset=utf-8', body: '', location, isSignedOut: false }
}

async function renderDocument(type: string, make: () => Promise<string>): Promise<WebReply> {
  try {
    return { status: 200, type, body: await make(), isSignedOut: false }
  } catch (error) {
    return failureOf(error)
  }
}

/** The reply to a page or document that cannot be made, such as 429 beyond the rate limit. */
function failureOf(error: unknown): WebReply {
  if (!isKithError(error)) throw error
  const { status, message } = error
  return { status, type: 'text/plain; charset=utf-8', body: `${message}\n`, isSignedOut: false }
}

async function renderPage(request: WebRequest, api: Reader, posted: Posted | null): Promise<WebReply> {
  try {
    return await pageOf(request, api, posted)
  } catch (error) {
    return failureOf(error)
  }
}

async function pageOf(request: WebRequest, api: Reader, posted: Posted | null): Promise<WebReply> {
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
  const boot: Boot = { language, theme, origin, url, viewer, settings, posted }
  const account = viewer?.id ?? 0
  const cache = createCache(api, account)
  const shown = await openVisit(url, boot, cache)
  const type = 'text/html; charset=utf-8'
  if (shown.redirect) return { status: 303, type, body: '', location: shown.redirect, isSignedOut, account }
  const [path = '/', search = ''] = url.split('?')
  const body = renderToString(
    <Router ssrPath={path} ssrSearch={search}>
      <SiteContext.Provider value={{ ...boot, api: api as Kith }}>
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
    status: isGone ? 410 : failed === 0 ? 503 : posted?.failure ? 422 : failed,
    type,
    isSignedOut,
    account,
    body: documentOf({
      body,
      head: { ...head, title: titleOf(head.title, settings.identity.name) },
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
async function wasDeleted(api: Reader, path: string): Promise<boolean> {
  const { route, params } = findRoute(path) ?? {}
  const [id = ''] = Object.values(params ?? {})
  if (!route?.goneIn || !/^\d{1,15}$/.test(id)) return false
  return Number(id) > 0 && Number(id) < (await newestOf(api, route.goneIn).catch(() => 0))
}
