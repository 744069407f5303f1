import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { addressKey, rateLimitHeaders } from '../admission.ts'
import { addVary, compress, language } from '../caching.ts'
import type { Server } from '../instance.ts'
import { builtFolder, sendAsset, sendNotBuilt } from '../packages.ts'
import { rendererOf, type WebReply } from './build.ts'
import { addSessions, clearSession, cookieOf, forwarded, INNER_HEADER, INNER_SECRET } from './session.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends a page of the site. Returns false when the request is not for a page. Null when the site is off. */
    sendPage: ((request: FastifyRequest, reply: FastifyReply) => Promise<boolean>) | null
  }
}

const NO_PAGES = /^\/(api|admin|docs|health|storage|metrics|_)(\/|$)/
const EMBED = '/oembed'
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
export function addWeb(server: Server, { config, limiter }: Pick<Context, 'config' | 'limiter'>): void {
  const findToken = addSessions(server, config)
  const load = rendererOf()
  const cache = createPageCache(config.guestCacheMs)

  server.get<{ Params: { '*': string } }>('/_/assets/*', { schema: { hide: true } }, (request, reply) =>
    sendAsset(builtFolder('web'), request.params['*'], reply),
  )

  server.sendPage = async (request, reply) => {
    const [path = '/', search = ''] = request.url.split('?')
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
    const stored = languageOf(cookieOf(request, 'kith_language'))
    const asked = languageOf(new URLSearchParams(search).get('lang'))
    const speaks = asked ?? stored ?? language(request)
    const chosenTheme = cookieOf(request, 'kith_theme') ?? ''
    const theme = ['light', 'dark'].includes(chosenTheme) ? chosenTheme : 'auto'
    const render = () =>
      renderer.render({
        url: request.url,
        origin: config.publicUrl,
        language: speaks,
        theme,
        hasSession: token !== undefined,
        wantsPage,
        nonce: NONCE_MARK,
        manifest: renderer.manifest,
        fetch: askInside(server, request, token),
      })
    if (token === undefined) {
      const state = await limiter.hit(`ip:${addressKey(request.ip)}`, config.rateLimits.anonymous)
      if (state.exceeded) {
        const text =
          speaks === 'zh'
            ? '请求过于频繁，请稍后刷新页面。'
            : 'Too many requests. Wait a moment, then reload.'
        reply.code(429).headers(rateLimitHeaders(state)).type('text/plain; charset=utf-8').send(`${text}\n`)
        return true
      }
    }
    const page = await (token === undefined
      ? cache.get(`${speaks} ${theme} ${wantsPage} ${request.url}`, render)
      : render())
    if (!page) return false
    // Keeps the language of the address for the visit. A language that the reader chose lasts.
    if (asked && !stored && page.type.startsWith(HTML))
      reply.header('Set-Cookie', `kith_language=${asked}; Path=/; SameSite=Lax`)
    send(request, reply, page, token !== undefined)
    return true
  }

  function send(request: FastifyRequest, reply: FastifyReply, page: WebReply, isMembers: boolean): void {
    const nonce = randomBytes(18).toString('base64')
    if (page.isSignedOut) clearSession(reply, config)
    if (page.location) reply.header('Location', page.location)
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

function askInside(server: Server, request: FastifyRequest, token: string | undefined) {
  return async (asked: Request): Promise<Response> => {
    const { pathname, search } = new URL(asked.url)
    const answer = await server.inject({
      method: asked.method as 'GET',
      url: pathname + search,
      remoteAddress: request.ip,
      headers: {
        ...forwarded(request),
        'accept-language': asked.headers.get('accept-language') ?? 'en',
        ...(token === undefined ? { [INNER_HEADER]: INNER_SECRET } : { authorization: `Bearer ${token}` }),
      },
    })
    const hasBody = ![204, 205, 304].includes(answer.statusCode)
    return new Response(hasBody ? new Uint8Array(answer.rawPayload) : null, {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as [string, string]],
      ),
    })
  }
}

const MAX_CACHE_BYTES = 16 * 1024 * 1024
const ENTRY_BYTES = 500

/** Caches pages for guests. Concurrent requests for one page share its rendering. */
export function createPageCache(maxAgeMs: number) {
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
      return maxAgeMs > 0 ? cache.fetch(key, { context: render }) : render()
    },
    bytes: () => cache.calculatedSize,
  }
}
