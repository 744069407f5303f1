import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import { type Context, defineState } from '#platform/context.ts'
import type { Language } from '#platform/errors.ts'
import { guestPurgeOf } from './guest-purge.ts'
import { isForApi, type Server } from './instance.ts'

/**
 * Compresses synchronously, because a switch to another thread costs more than the compression of a few kilobytes.
 * Lists the cheapest encoding first, for clients without a preference.
 */
const COMPRESSORS = {
  zstd: (bytes: Buffer | string) =>
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: (bytes: Buffer | string) =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (bytes: Buffer | string) => gzipSync(bytes, { level: 1 }),
}

type Encoding = keyof typeof COMPRESSORS

const PREFERRED = Object.keys(COMPRESSORS)
const AVAILABLE = [...PREFERRED, 'identity']

/** The types of `negotiator` lack the `preferred` option. */
type WithPreference = Negotiator & {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

/** Negotiates the reply's language and marks the reply as varying by `Accept-Language`. */
export function language(request: FastifyRequest): Language {
  request.isTranslated = true
  return new Negotiator(request).language(['en', 'zh']) === 'zh' ? 'zh' : 'en'
}

export function addVary(reply: FastifyReply, names: string): FastifyReply {
  const others = reply.getHeader('vary')
  return reply.header('Vary', others === undefined ? names : `${others}, ${names}`)
}

export function encodingFor(accepts: string | undefined): Encoding | undefined {
  if (accepts === undefined) return undefined
  const client = new Negotiator({ headers: { 'accept-encoding': accepts } }) as WithPreference
  const encoding = client.encoding(AVAILABLE, { preferred: PREFERRED })
  return encoding === 'identity' ? undefined : (encoding as Encoding | undefined)
}

const COMPRESSED_FROM = 1024

/** Compresses a body for the client, or takes the compressed bytes from `known`. Returns a short body as it is. */
export function compress(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  body: Buffer | string,
  known?: Map<Encoding, Buffer>,
): Buffer | string {
  if (body.length < COMPRESSED_FROM || reply.hasHeader('content-encoding')) return body
  const encoding = encodingFor(headers['accept-encoding'])
  if (!encoding) return body
  reply.header('Content-Encoding', encoding)
  const compressed = known?.get(encoding) ?? COMPRESSORS[encoding](body)
  known?.set(encoding, compressed)
  return compressed
}

/** Sets the ETag. Sets the status 304 and returns true when the client has the body already. */
export function isUnchanged({ headers }: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('ETag', etag)
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch === undefined) return false
  const plain = etag.replace(/^W\//, '')
  const tags = ifNoneMatch.split(',').map((each) => each.trim().replace(/^W\//, ''))
  if (!tags.includes('*') && !tags.includes(plain)) return false
  reply.code(304)
  return true
}

declare module 'fastify' {
  interface FastifyRequest {
    /** True when the reply depends on `Accept-Language`. */
    isTranslated: boolean
  }
  interface FastifyContextConfig {
    /** Marks a reply that is the same for all guests, so that shared caches may store and revalidate it. */
    isShared?: true
  }
}

const TAG_LENGTH = 20

/** Returns a weak ETag, because one ETag must be valid for every content encoding of the body. */
const etagOf = (body: Buffer | string): string =>
  `W/"${hash('sha1', body, 'base64url').slice(0, TAG_LENGTH)}"`

const VARIES = 'Accept-Encoding, Authorization'

/**
 * Adds cache headers, 304 replies and compression to API replies (conventions-37). Adds neither an ETag nor
 * compression to replies from buffers and streams.
 */
export function addCaching(server: Server): void {
  server.decorateRequest('isTranslated', false)
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!isForApi(request) || request.isInner) return done(null, payload)
    const { statusCode } = reply
    const varies = request.isTranslated ? `${VARIES}, Accept-Language` : VARIES
    addVary(reply, varies)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && (statusCode === 200 || statusCode === 304) && !reply.hasHeader('cache-control'))
      reply.header('Cache-Control', request.routeOptions.config.isShared ? 'public, no-cache' : 'no-cache')
    if (typeof payload !== 'string') return done(null, payload)
    // Encodes a long text once. Otherwise the ETag, the length and the socket would each encode the text.
    const body = payload.length < COMPRESSED_FROM ? payload : Buffer.from(payload)
    if (isRead && statusCode === 200 && !reply.hasHeader('etag') && isUnchanged(request, reply, etagOf(body)))
      return done(null, '')
    done(null, compress(request, reply, body))
  })
}

const MAX_CACHE_BYTES = 32 * 1024 * 1024
const MAX_URL_LENGTH = 1000
/** Maximum number of copies of a reply in an entry. One copy is plain, and up to three are compressed. */
const COPIES = 4
const ENTRY_BYTES = 1000

type Kept = {
  madeAt: number
  bytes: Buffer
  etag: string
  encoded: Map<Encoding, Buffer>
  /** Callbacks that count a view each time the cached reply is sent. */
  shown: (() => void)[]
}

type Write = () => Promise<string | undefined>

export const guestCacheOf = defineState((ctx) => createGuestCache(ctx))

export type GuestCache = ReturnType<typeof guestCacheOf>

function createGuestCache(ctx: Context) {
  const { metrics } = ctx
  const { guestCacheMs } = ctx.config
  const kept = new LRUCache<string, Kept>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }, key) => key.length * 2 + bytes.length * COPIES + ENTRY_BYTES,
  })
  const making = new Map<string, { since: number; made: Promise<Kept | undefined> }>()
  let purges = 0
  guestPurgeOf(ctx).on(() => {
    purges += 1
    kept.clear()
    making.clear()
  })
  const isYoung = (since: number) => performance.now() - since < guestCacheMs

  const make = (key: string, shown: (() => void)[], write: Write): Promise<Kept | undefined> => {
    const since = performance.now()
    const before = purges
    const made = write().then((text) => {
      if (text === undefined) return undefined
      const bytes = Buffer.from(text)
      const entry = { madeAt: since, bytes, etag: etagOf(text), encoded: new Map(), shown }
      // A reply that began before a purge may contain what the purge hides.
      if (before === purges) kept.set(key, entry)
      return entry
    })
    const mine = { since, made }
    making.set(key, mine)
    const done = () => {
      if (making.get(key) === mine) making.delete(key)
    }
    made.then(done, done)
    return made
  }
  /** Finds a cached reply, or a reply in progress. A failed request in progress counts as a cache miss. */
  const find = (key: string): Kept | Promise<Kept | undefined> | undefined => {
    const known = kept.get(key)
    if (known && isYoung(known.madeAt)) return known
    const others = making.get(key)
    return others && isYoung(others.since) ? others.made.catch(() => undefined) : undefined
  }

  return {
    takes: ({ method, url }: FastifyRequest) => method === 'GET' && url.length <= MAX_URL_LENGTH,
    /** Sends the cached reply or the result of `write`. Returns false when `write` returned no text. */
    async answer(request: FastifyRequest, reply: FastifyReply, status: number, write: Write) {
      const key = `${language(request)} ${request.url}`
      const others = find(key)
      let found = others instanceof Promise ? await others : others
      if (found !== undefined) for (const count of found.shown) count()
      metrics.countGuestReply(found === undefined ? 'made' : 'hit')
      if (!found) {
        const shown: (() => void)[] = []
        if (request.caller) request.caller.shown = shown
        found = await make(key, shown, write)
      }
      if (!found) return false
      reply.code(status)
      send(request, reply, found)
      return true
    },
    state: () => ({ bytes: kept.calculatedSize }),
  }
}

function send(request: FastifyRequest, reply: FastifyReply, { bytes, etag, encoded }: Kept): void {
  if (reply.statusCode === 200 && isUnchanged(request, reply, etag)) return void reply.send()
  reply.type('application/json; charset=utf-8').send(compress(request, reply, bytes, encoded))
}
