import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#platform/config'
import { forbidden } from '#platform/errors.ts'
import { noSuchPath } from '../error-reply.ts'
import { API, type Server } from '../instance.ts'

/**
 * Header that the site's scripts send. Another origin would need a CORS preflight for this header, and the
 * server's preflight response allows no cookies.
 */
const MARK = 'x-kith-site'
const GIVES_TOKEN = /^(auth\/login|users|socialite\/[\w-]{1,32})$/
const REFRESH_EARLY_SECONDS = 60
/**
 * Header of inner requests that render a guest's page. The rate limiter has counted the guest's request
 * already.
 */
export const INNER_HEADER = 'x-kith-inner'
export const INNER_SECRET = randomBytes(24).toString('base64url')

type Session = { token: string; expiresAt: number }
type Token = { access_token?: string; expires_in?: number; token?: string; ttl?: number; refresh_ttl: number }

const isSecure = ({ publicUrl }: Config) => publicUrl.startsWith('https:')
const cookieName = (config: Config) => (isSecure(config) ? '__Host-kith_session' : 'kith_session')

export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
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

/**
 * Checks `Sec-Fetch-Site`, `Origin` and the header of the site's scripts. Other origins cannot set these
 * headers on requests with cookies.
 */
function isFromSite(request: FastifyRequest, config: Config): boolean {
  const { 'sec-fetch-site': site, origin, [MARK]: mark } = request.headers
  if (site !== undefined && site !== 'same-origin') return false
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && site === 'same-origin') return true
  if (mark === undefined) return false
  if (origin === undefined) return isRead || site === 'same-origin'
  return origin === new URL(config.publicUrl).origin || origin === `${request.protocol}://${request.host}`
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
    headers: forwarded(request),
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

/**
 * Keeps the session's token in an HttpOnly cookie, and accepts the cookie only from the site's own pages
 * (docs/security.md).
 */
export function addSessions(server: Server, config: Config): FindToken {
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
    if (Date.now() / 1000 < session.expiresAt - REFRESH_EARLY_SECONDS) return session.token
    return exchange(session.token, request).then(({ status, body }) => {
      if (status === 200) return keepToken(reply, config, body).token
      if (status === 401) clearSession(reply, config)
      return status === 401 ? undefined : session.token
    })
  }

  server.addHook('onRequest', (request, reply, done) => {
    const { headers } = request
    if (headers.cookie === undefined || headers.authorization !== undefined || !request.url.startsWith(API))
      return done()
    if (!isFromSite(request, config)) return done()
    const give = (token: string | undefined) => {
      if (token) headers.authorization = `Bearer ${token}`
      done()
    }
    const found = findToken(request, reply)
    if (found instanceof Promise) found.then(give, done)
    else give(found)
  })

  server.route<{ Params: { '*': string } }>({
    method: ['POST', 'PUT', 'PATCH'],
    url: '/_/session/*',
    schema: { hide: true },
    handler: async (request, reply) => {
      if (!isFromSite(request, config)) throw forbidden()
      const path = request.params['*']
      if (!GIVES_TOKEN.test(path)) throw noSuchPath()
      const payload = (request.body ?? {}) as object
      const answer = await ask(server, request, { method: request.method, path, payload })
      for (const name of ['x-error-code', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining'])
        if (answer.headers[name] !== undefined) reply.header(name, answer.headers[name])
      reply.header('Cache-Control', 'no-store').code(answer.statusCode)
      const body = answer.json() as Token
      if (answer.statusCode < 300 && (body.access_token ?? body.token) !== undefined) {
        keepToken(reply, config, body)
        return reply.code(204).send()
      }
      return reply.send(body)
    },
  })

  server.delete('/_/session', { schema: { hide: true } }, async (request, reply) => {
    if (!isFromSite(request, config)) throw forbidden()
    const session = readSession(request, config)
    clearSession(reply, config)
    if (session) await ask(server, request, { path: 'auth/logout', payload: { token: session.token } })
    return reply.header('Cache-Control', 'no-store').code(204).send()
  })
  return findToken
}
