import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { ApiError, type Language } from '#platform/errors.ts'
import { addressKey, rateLimitHeaders } from '../admission.ts'
import { addVary, compress, language } from '../caching.ts'
import { noSuchPath, toApiError } from '../error-reply.ts'
import { guestPurgeOf } from '../guest-purge.ts'
import { API, type Server } from '../instance.ts'
import { builtFolder, sendAsset, sendNotBuilt } from '../packages.ts'
import { type Answer, type Renderer, rendererOf, type WebReply, type WebRequest } from './build.ts'
import { addSessions, clearSession, cookieOf, forwarded, INNER } from './session.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the favicon that an administrator chose. Returns false when the site has none. */
    sendOwnIcon: ((reply: FastifyReply) => Promise<boolean>) | null
    /** Sends a page of the site. Returns false when the request is not for a page. Null when the site is off. */
    sendPage: ((request: FastifyRequest, reply: FastifyReply) => Promise<boolean>) | null
  }
}

type SentForm = NonNullable<WebRequest['form']>

const NO_PAGES = /^\/(api|admin|docs|health|storage|metrics|_)(\/|$)/
const EMBED = '/oembed'
/** Addresses of built files without a hash, with the seconds for which browsers may cache them. */
const FIXED = [
  ['/sw.js', 0],
  ['/favicon.ico', 86_400],
] as const
const HTML = 'text/html'
/**
 * Placeholder in rendered pages for the nonce of each reply. Random, so that user content cannot contain the
 * placeholder.
 */
const NONCE_MARK = randomBytes(18).toString('base64url')

const policyWith = (nonce: string, { publicUrl }: Config) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    `img-src 'self' ${new URL(publicUrl).origin} data: blob:`,
    `media-src 'self' ${new URL(publicUrl).origin} blob:`,
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types kith-worker',
  ].join('; ')

const languageOf = (name: string | null | undefined): Language | undefined =>
  name === 'en' || name === 'zh' ? name : undefined

/** Adds the pages of the site and the sessions of its visitors. */
export function addWeb(
  server: Server,
  ctx: Pick<Context, 'config' | 'limiter' | 'log' | 'signals' | 'state'>,
): void {
  const { config, limiter } = ctx
  const { findToken, sender, end, requireOwnPage } = addSessions(server, ctx)
  const load = rendererOf()
  const cache = createPageCache(config.guestCacheMs)
  guestPurgeOf(ctx).on(cache.clear)

  server.get<{ Params: { '*': string } }>('/_/assets/*', { schema: { hide: true } }, (request, reply) =>
    sendAsset(builtFolder('web'), request.params['*'], reply),
  )
  for (const [path, maxAge] of FIXED)
    server.get(path, { schema: { hide: true } }, async (_, reply) => {
      if (path === '/favicon.ico' && (await server.sendOwnIcon?.(reply))) return reply
      const file = (await load())?.fixed[path]
      if (!file) throw noSuchPath()
      return sendAsset(builtFolder('web'), file, reply, maxAge)
    })

  /** Pages have a limit of their own, so that guests who read leave the limit of the API to those who sign in. */
  async function limitGuest(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const state = await limiter.hit(`pages:${addressKey(request.ip)}`, config.rateLimits.pages)
    if (!state.exceeded) return false
    const text =
      chosenLanguage(request) === 'zh'
        ? '请求过于频繁，请稍后刷新页面。'
        : 'Too many requests. Wait a moment, then reload.'
    reply.code(429).headers(rateLimitHeaders(state)).type('text/plain; charset=utf-8').send(`${text}\n`)
    return true
  }

  function requestOf(
    request: FastifyRequest,
    { manifest }: Renderer,
    given: { token: string | undefined; wantsPage: boolean; form?: WebRequest['form'] },
  ): WebRequest {
    const language = chosenLanguage(request)
    return {
      url: request.url,
      origin: config.publicUrl,
      language,
      theme: chosenTheme(request),
      hasSession: given.token !== undefined,
      wantsPage: given.wantsPage,
      nonce: NONCE_MARK,
      manifest,
      ask: askInside(server, request, { token: given.token, language }),
      ...(given.form ? { form: given.form } : {}),
    }
  }

  server.sendPage = async (request, reply) => {
    const [path = '/'] = request.url.split('?')
    const accept = request.headers.accept ?? '*/*'
    const wantsPage = accept.includes('text/html')
    if (!['GET', 'HEAD'].includes(request.method) || NO_PAGES.test(path)) return false
    if (!wantsPage && /\bjson\b/.test(accept) && path !== EMBED) return false
    const renderer = await load()
    if (!renderer) {
      if (!wantsPage) return false
      sendNotBuilt('web', request, reply)
      return true
    }
    const token = await findToken(request, reply)
    if (token === undefined && (await limitGuest(request, reply))) return true
    const asked = requestOf(request, renderer, { token, wantsPage })
    const page = await (token === undefined
      ? cache.get(`${asked.language} ${asked.theme} ${wantsPage} ${request.url}`, () =>
          renderer.render(asked),
        )
      : renderer.render(asked))
    if (!page) return false
    // Keeps the language of the address for the visit. A language that the reader chose lasts.
    const named = namedLanguage(request)
    if (named && !storedLanguage(request) && page.type.startsWith(HTML))
      reply.header('Set-Cookie', `kith_language=${named}; Path=/; SameSite=Lax`)
    send(request, reply, page, token !== undefined)
    return true
  }

  /** Forms that work without scripts. The renderer sends their fields to the API. */
  for (const url of FORMS)
    server.post(url, { schema: { hide: true }, bodyLimit: FORM_BYTES, errorHandler }, (request, reply) =>
      answerForm(request, reply, { fields: fieldsOf(request.body), send: sendFrom(request, reply) }),
    )

  async function answerForm(request: FastifyRequest, reply: FastifyReply, form: SentForm) {
    const renderer = await load()
    if (!renderer) return sendNotBuilt('web', request, reply)
    if (await limitGuest(request, reply)) return reply
    const asked = requestOf(request, renderer, { token: undefined, wantsPage: true, form })
    // The router also leads other spellings of the path to this form, such as a slash at the end.
    const url = `${request.routeOptions.url}${request.url.replace(/^[^?]*/, '')}`
    const page = await renderer.render({ ...asked, url })
    if (!page) throw noSuchPath()
    send(request, reply, page, true)
    return reply
  }

  /** Shows the form again when its body could not be read. */
  async function errorHandler(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    const told = toApiError(error)
    if (told.status >= 500) throw error
    return answerForm(request, reply, { fields: {}, send: async () => refusal(told, request) })
  }

  const sendFrom =
    (request: FastifyRequest, reply: FastifyReply): SentForm['send'] =>
    async (method, path, payload) => {
      try {
        requireOwnPage(request)
        const { status, headers, body } = await sender(request, reply)(method, path, payload)
        return { status, header: (name) => headerOf(headers, name), body }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return refusal(error, request)
      }
    }

  server.post('/sign-out', { schema: { hide: true }, bodyLimit: FORM_BYTES }, async (request, reply) => {
    requireOwnPage(request)
    await end(request, reply)
    // Deletes drafts and the worker with its pages, as the scripts of the page do (web/src/app/account.ts).
    return reply.header('Cache-Control', 'no-store').header('Clear-Site-Data', '"storage"').redirect('/', 303)
  })

  function send(request: FastifyRequest, reply: FastifyReply, page: WebReply, isMembers: boolean): void {
    const nonce = randomBytes(18).toString('base64')
    if (page.isSignedOut) clearSession(reply, config)
    if (page.location) reply.header('Location', page.location)
    // The service worker stores pages by account (web/src/app/worker-pages.ts).
    if (page.account !== undefined) reply.header('X-Kith-Account', page.account)
    const isPage = page.type.startsWith(HTML)
    addVary(reply, 'Accept, Accept-Encoding, Accept-Language, Cookie')
      .code(page.status)
      .type(page.type)
      .header('Cache-Control', isMembers ? 'private, no-store' : isPage ? 'no-cache' : 'public, max-age=300')
    if (isPage)
      reply
        .header('Content-Security-Policy', policyWith(nonce, config))
        .header('Referrer-Policy', 'strict-origin-when-cross-origin')
        .header('X-Frame-Options', 'DENY')
        .header('Cross-Origin-Opener-Policy', 'same-origin')
    const body = page.body.replaceAll(NONCE_MARK, nonce)
    reply.send(compress(request, reply, body))
  }
}

const refusal = ({ status, code, text }: ApiError, request: FastifyRequest): Answer => ({
  status,
  header: (name) => (name === 'x-error-code' ? code : null),
  body: { message: text[chosenLanguage(request)] },
})

const headerOf = (headers: Record<string, unknown>, name: string): string | null =>
  headers[name] === undefined ? null : String(headers[name])

const storedLanguage = (request: FastifyRequest) => languageOf(cookieOf(request, 'kith_language'))

const namedLanguage = (request: FastifyRequest) =>
  languageOf(new URLSearchParams(request.url.split('?')[1]).get('lang'))

const chosenLanguage = (request: FastifyRequest): Language =>
  namedLanguage(request) ?? storedLanguage(request) ?? language(request)

function chosenTheme(request: FastifyRequest): string {
  const chosen = cookieOf(request, 'kith_theme') ?? ''
  return ['light', 'dark'].includes(chosen) ? chosen : 'auto'
}

const FORMS = ['/sign-in', '/join', '/forgotten-password', '/unsubscribe']
const FORM_BYTES = 16 * 1024

const fieldsOf = (body: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object(body)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )

/** Returns a function that reads the API as the visitor, within the process. */
function askInside(
  server: Server,
  request: FastifyRequest,
  { token, language }: { token: string | undefined; language: Language },
) {
  const headers = {
    ...forwarded(request),
    'accept-language': language,
    ...INNER,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  }
  return async (path: string): Promise<Answer> => {
    const answer = await server.inject({ url: API + path, remoteAddress: request.ip, headers })
    return {
      status: answer.statusCode,
      header: (name) => headerOf(answer.headers, name),
      body: answer.payload === '' ? undefined : answer.json(),
    }
  }
}

const MAX_CACHE_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 500

/** Caches pages for guests. Concurrent requests for one page share its rendering. */
export function createPageCache(maxAgeMs: number) {
  let clears = 0
  const cache = new LRUCache<string, WebReply, () => Promise<WebReply | undefined>>({
    maxSize: MAX_CACHE_BYTES,
    // JavaScript strings take up to two bytes a character.
    sizeCalculation: ({ body }, key) => 2 * (key.length + body.length) + ENTRY_BYTES,
    ttl: Math.max(1, maxAgeMs),
    fetchMethod: (_key, _old, { context: render }) => render(),
    // An eviction from the cache while a page is rendered must not fail the request.
    ignoreFetchAbort: true,
  })
  return {
    get(key: string, render: () => Promise<WebReply | undefined>): Promise<WebReply | undefined> {
      return maxAgeMs > 0 ? cache.fetch(`${clears} ${key}`, { context: render }) : render()
    },
    /** Later requests do not share pages whose rendering began before. */
    clear(): void {
      clears += 1
      cache.clear()
    },
    bytes: () => cache.calculatedSize,
  }
}
