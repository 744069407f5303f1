import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Context, defineState } from '#platform/context.ts'
import { currentScope } from '#platform/database'
import { COMPRESSED_FROM, compress, type Encoding, encodingFor, etagOf, hasAlready } from './caching.ts'
import { language } from './error-reply.ts'

const MAX_CACHE_BYTES = 32 * 1024 * 1024
const MAX_URL_LENGTH = 1000
/** An entry holds the plain reply and up to three compressed copies. */
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

export type Write = () => Promise<string | undefined>

export type GuestCache = {
  /** Sends the cached reply or the result of `write`. Returns false when nothing was sent. */
  answer(request: FastifyRequest, reply: FastifyReply, status: number, write: Write): Promise<boolean>
  state(): { bytes: number }
}

export const guestCacheOf = defineState((ctx) => createGuestCache(ctx))

function createGuestCache({ config, metrics }: Context): GuestCache {
  const { guestCacheMs } = config
  const kept = new LRUCache<string, Kept>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ bytes }, key) => key.length * 2 + bytes.length * COPIES + ENTRY_BYTES,
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
  /** Finds a cached reply or one in progress. A failed request in progress counts as a cache miss. */
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
      if (url.length > MAX_URL_LENGTH || request.method !== 'GET' || !caller) return false
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
