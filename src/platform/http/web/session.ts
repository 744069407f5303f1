import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { ApiError, forbidden } from '#platform/errors.ts'
import { noSuchPath } from '../error-reply.ts'
import { API, isForApi, type Server } from '../instance.ts'

/**
 * Header that the site's scripts send. Another origin would need a CORS preflight for this header, and the
 * server's preflight response allows no cookies.
 */
const MARK = 'x-kith-site'
const GIVES_TOKEN = /^(auth\/login|users|socialite\/[\w-]{1,32})$/
/** Lifetime of every token. */
export const TOKEN_MINUTES = 60
const REFRESH_EARLY_SECONDS = 60
const STRANGE_MAX = 20
const INNER_HEADER = 'x-kith-inner'
const INNER_SECRET = randomBytes(24).toString('base64url')

/** Header of the requests with which a page reads the API. */
export const INNER = { [INNER_HEADER]: INNER_SECRET }

declare module 'fastify' {
  interface FastifyRequest {
    /** True for requests with which a page of the site reads the API in this process. */
    isInner: boolean
  }
}

export const isInner = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers[INNER_HEADER] === INNER_SECRET

type Session = { token: string; expiresAt: number }
type Token = { access_token?: string; expires_in?: number; token?: string; ttl?: number; refresh_ttl: number }

const isSecure = ({ publicUrl }: Config) => publicUrl.startsWith('https:')
const cookieName = (config: Config) => (isSecure(config) ? '__Host-kith_session' : 'kith_session')

export function cookieOf({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

function readSession(request: FastifyRequest, config: Config): Session | undefined {
  const [, token, expiresAt] =
    /^([\w-]{20,512})\.(\d{1,12})$/.exec(cookieOf(request, cookieName(config)) ?? '') ?? []
  return token ? { token, expiresAt: Number(expiresAt) } : undefined
}

function setCookie(reply: FastifyReply, config: Config, value: string, seconds: number): void {
  const attributes = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(config) ? '; Secure' : ''}`
  reply.header('Set-Cookie', `${cookieName(config)}=${value}; ${attributes}`)
}

export const clearSession = (reply: FastifyReply, config: Config): void => setCookie(reply, config, '', 0)

function keepToken(reply: FastifyReply, config: Config, given: Token): Session {
  const token = given.access_token ?? (given.token as string)
  const minutes = given.expires_in ?? (given.ttl as number)
  const expiresAt = Math.floor(Date.now() / 1000) + minutes * 60
  setCookie(reply, config, `${token}.${expiresAt}`, given.refresh_ttl * 60)
  return { token, expiresAt }
}

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/**
 * True if a page of this site sent the request. No page can forge `Sec-Fetch-Site`, which recent browsers send over
 * https and to localhost. In other requests `Origin` must name the site.
 */
function isSameOrigin(request: FastifyRequest, config: Config): boolean {
  const { 'sec-fetch-site': site, origin } = request.headers
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined) return isRead(request)
  return origin === originOf(config) || origin === `${request.protocol}://${request.host}`
}

/** True for a request of the site's scripts. Another origin cannot send the mark without a CORS preflight. */
const isFromScripts = (request: FastifyRequest, config: Config): boolean =>
  request.headers[MARK] !== undefined && isSameOrigin(request, config)

const originOf = ({ publicUrl }: Config) => new URL(publicUrl).origin

/**
 * Returns why the request may not open or close a session, or undefined. A secure cookie would be lost on a page that was
 * opened with http.
 */
function refusalOf(request: FastifyRequest, config: Config): ApiError | undefined {
  const { origin } = request.headers
  const isInsecure = isSecure(config) && origin?.startsWith('http://') === true
  if (isSameOrigin(request, config) && !isInsecure) return undefined
  if (request.headers['sec-fetch-site'] === 'cross-site' || origin === undefined || origin === 'null')
    return forbidden()
  return new ApiError(403, 'wrong_address', {
    en: `This page was opened at ${origin}, but the address of the site is ${originOf(config)}. Open the site there. If that is not its address, tell its administrator.`,
    zh: `此页面的地址是 ${origin}，而本站的地址是 ${originOf(config)}。请从该地址打开本站；如果该地址不正确，请联系管理员。`,
  })
}

/**
 * True if the session cookie counts as a credential of this API request. Pictures, navigations and frames send the
 * cookie too, but not the mark.
 */
function takesCookie(request: FastifyRequest, config: Config): boolean {
  const { cookie } = request.routeOptions.config
  if (cookie === 'never') return false
  if (isFromScripts(request, config)) return true
  const { 'sec-fetch-site': site, 'sec-fetch-dest': destination } = request.headers
  if (!isRead(request) || site !== 'same-origin') return false
  return destination === 'empty' || cookie === 'elements'
}

export function forwarded({ headers }: FastifyRequest): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of ['user-agent', 'accept-language', 'content-type'] as const)
    if (headers[name] !== undefined) kept[name] = headers[name]
  return kept
}

/** Calls the API as the browser, within the process. */
const ask = (
  server: Server,
  request: FastifyRequest,
  { method = 'POST', path, payload }: { method?: string; path: string; payload: object },
) =>
  server.inject({
    method: method as 'POST',
    url: `${API}/${path}`,
    headers: { ...forwarded(request), 'content-type': 'application/json' },
    remoteAddress: request.ip,
    payload,
  })

/**
 * Returns the token of the session cookie, refreshed shortly before its expiry. Returns undefined for guests.
 */
type FindToken = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<string | undefined> | string | undefined

/** Sends a request of a form to the API as a guest. A token in the reply becomes the session. */
export type Send = (method: string, path: string, payload: object) => Promise<Sent>
type Sent = { status: number; headers: Record<string, unknown>; body: unknown }

type Sessions = {
  findToken: FindToken
  sender(request: FastifyRequest, reply: FastifyReply): Send
  end(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** Throws when another site, or a page at another address of this site, sent the request. */
  requireOwnPage(request: FastifyRequest): void
}

/**
 * Keeps the session's token in an HttpOnly cookie, and accepts the cookie only from the site's own pages
 * (docs/security.md).
 */
export function addSessions(server: Server, { config, log }: Pick<Context, 'config' | 'log'>): Sessions {
  /** Token refreshes in progress, so that a page's concurrent requests share one new token. */
  const exchanges = new Map<string, Promise<{ status: number; body: Token }>>()

  const exchange = (token: string, request: FastifyRequest) => {
    const running = exchanges.get(token)
    if (running !== undefined) return running
    const made = ask(server, request, { path: 'auth/refresh', payload: { token } })
      .then((answer) => ({ status: answer.statusCode, body: answer.json() as Token }))
      .finally(() => exchanges.delete(token))
    exchanges.set(token, made)
    return made
  }

  const findToken: FindToken = (request, reply) => {
    const session = readSession(request, config)
    if (!session) return undefined
    const left = session.expiresAt - Date.now() / 1000
    // A token with more time than its lifetime was issued while the clock was ahead, and may have expired.
    if (left > REFRESH_EARLY_SECONDS && left <= TOKEN_MINUTES * 60 + REFRESH_EARLY_SECONDS)
      return session.token
    return exchange(session.token, request).then(({ status, body }) => {
      if (status === 200) return keepToken(reply, config, body).token
      if (status === 401) clearSession(reply, config)
      return status === 401 ? undefined : session.token
    })
  }

  server.addHook('onRequest', (request, reply, done) => {
    const { headers } = request
    if (headers.cookie === undefined || headers.authorization !== undefined || !isForApi(request))
      return done()
    if (!takesCookie(request, config)) return done()
    const give = (token: string | undefined) => {
      if (token) headers.authorization = `Bearer ${token}`
      done()
    }
    const found = findToken(request, reply)
    if (found instanceof Promise) found.then(give, done)
    else give(found)
  })

  /** Origins that the log has named. */
  const strange = new Set<string>()

  function requireOwnPage(request: FastifyRequest): void {
    const { origin } = request.headers
    const isStrange = origin !== undefined && origin !== originOf(config) && strange.size < STRANGE_MAX
    const refusal = refusalOf(request, config)
    if (isStrange && !strange.has(origin) && refusal?.code !== forbidden.code) {
      strange.add(origin)
      log.warn(
        {
          origin,
          host: request.host,
          protocol: request.protocol,
          publicUrl: config.publicUrl,
          refused: refusal !== undefined,
        },
        'people open the site at an address other than PUBLIC_URL; set PUBLIC_URL to that address, redirect the address to PUBLIC_URL, or set TRUST_PROXY to the addresses of the proxy',
      )
    }
    if (refusal) throw refusal
  }

  const sender =
    (request: FastifyRequest, reply: FastifyReply): Send =>
    async (method, path, payload) => {
      const answer = await ask(server, request, { method, path, payload })
      const { statusCode: status, headers } = answer
      const body = answer.payload === '' ? undefined : (answer.json() as Token)
      if (status >= 300 || (body?.access_token ?? body?.token) === undefined) return { status, headers, body }
      keepToken(reply, config, body as Token)
      return { status: 204, headers, body: undefined }
    }

  async function end(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const session = readSession(request, config)
    clearSession(reply, config)
    if (session) await ask(server, request, { path: 'auth/logout', payload: { token: session.token } })
  }

  server.route<{ Params: { '*': string } }>({
    method: ['POST', 'PUT', 'PATCH'],
    url: '/_/session/*',
    schema: { hide: true },
    handler: async (request, reply) => {
      requireOwnPage(request)
      if (request.headers[MARK] === undefined) throw forbidden()
      const path = request.params['*']
      if (!GIVES_TOKEN.test(path)) throw noSuchPath()
      const { status, headers, body } = await sender(request, reply)(
        request.method,
        path,
        (request.body ?? {}) as object,
      )
      for (const name of ['x-error-code', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'])
        if (headers[name] !== undefined) reply.header(name, headers[name])
      return reply.header('Cache-Control', 'no-store').code(status).send(body)
    },
  })

  server.delete('/_/session', { schema: { hide: true } }, async (request, reply) => {
    requireOwnPage(request)
    if (request.headers[MARK] === undefined) throw forbidden()
    await end(request, reply)
    return reply.header('Cache-Control', 'no-store').code(204).send()
  })
  return { findToken, sender, end, requireOwnPage }
}
