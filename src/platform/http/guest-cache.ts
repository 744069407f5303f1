import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'
import { currentScope } from '#platform/database'
import { COMPRESSED_FROM, compress, type Encoding, encodingFor, etagOf, hasAlready } from './caching.ts'
import { language } from './error-reply.ts'

/** Maximum memory of keys and replies. */
const BYTES_MOST = 32 * 1024 * 1024
/** A request with a longer address bypasses the cache. */
const URL_MOST = 1000
/** Maximum bytes of a character with its compressed forms. */
const BYTES_EACH = 4
const ENTRY_BYTES = 1000

type Kept = {
  madeAt: number
  bytes: Buffer
  etag: string
  encoded: Map<Encoding, Buffer>
  /** Counts views for a cached reply. */
  shown: (() => void)[]
}

/** Makes the reply's text; undefined when it must not be shared. */
export type Write = () => Promise<string | undefined>

export type GuestCache = {
  /** Replies from the cache, or with the result of `write`; false when nothing was sent. */
  answer(request: FastifyRequest, reply: FastifyReply, status: number, write: Write): Promise<boolean>
  state(): { bytes: number }
}

export const guestCacheOf = defineState((ctx) => createGuestCache(ctx))

function createGuestCache({ config, metrics }: Context): GuestCache {
  const { guestCacheMs } = config
  const kept = new LRUCache<string, Kept>({
    maxSize: BYTES_MOST,
    sizeCalculation: ({ bytes }, key) => key.length * 2 + bytes.length * BYTES_EACH + ENTRY_BYTES,
  })
  const making = new Map<string, { since: number; made: Promise<Kept | undefined> }>()
  const isYoung = (since: number) => performance.now() - since < guestCacheMs

  const make = async (key: string, shown: (() => void)[], write: Write): Promise<Kept | undefined> => {
    const madeAt = performance.now()
    const text = await write()
    if (text === undefined) return undefined
    const bytes = Buffer.from(text)
    const entry = { madeAt, bytes, etag: etagOf(text), encoded: new Map(), shown }
    kept.set(key, entry)
    return entry
  }
  const makeOnce = (key: string, shown: (() => void)[], write: Write): Promise<Kept | undefined> => {
    const made = make(key, shown, write)
    const mine = { since: performance.now(), made }
    making.set(key, mine)
    const done = () => {
      if (making.get(key) === mine) making.delete(key)
    }
    made.then(done, done)
    return made
  }
  /** A cached reply, or one that another request is making. That request's failure is not shared. */
  const find = (key: string): Kept | Promise<Kept | undefined> | undefined => {
    const known = kept.get(key)
    if (known && isYoung(known.madeAt)) return known
    const others = making.get(key)
    return others && isYoung(others.since) ? others.made.catch(() => undefined) : undefined
  }

  return {
    async answer(request, reply, status, write) {
      const url = request.raw.url as string
      const caller = currentScope()
      if (url.length > URL_MOST || request.method !== 'GET' || !caller) return false
      const key = `${language(request)} ${url}`
      const others = find(key)
      let found = others instanceof Promise ? await others : others
      if (found !== undefined) for (const count of found.shown) count()
      metrics.countGuestReply(found === undefined ? 'made' : 'hit')
      if (!found) {
        const shown: (() => void)[] = []
        caller.shown = shown
        found = await makeOnce(key, shown, write)
      }
      if (!found) return false
      reply.code(status)
      send(request, reply, found)
      return true
    },
    state: () => ({ bytes: kept.calculatedSize }),
  }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, { bytes, etag, encoded }: Kept): void {
  if (reply.statusCode === 200) {
    reply.header('ETag', etag)
    if (hasAlready(headers['if-none-match'], etag)) return void reply.code(304).send()
  }
  reply.type('application/json; charset=utf-8')
  const accepts = headers['accept-encoding']
  const encoding =
    bytes.length < COMPRESSED_FROM || typeof accepts !== 'string' ? undefined : encodingFor(accepts)
  if (!encoding) return void reply.send(bytes)
  const sent = encoded.get(encoding) ?? compress(bytes, encoding)
  encoded.set(encoding, sent)
  reply.header('Content-Encoding', encoding).send(sent)
}
