import { isUtf8 } from 'node:buffer'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { apiError, Busy, notFound, tooManyRequests } from '#platform/errors.ts'
import type { Server } from './instance.ts'
import { addressKey } from './viewer.ts'

type Done = (error?: Error) => void

const unreadable = apiError(400, 'bad_request', 'The request could not be read.', '无法解析请求。')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 2046 allows 70 characters. The form parser fails on much longer ones. */
const BOUNDARY_MAX = 70

/** Returns whether the body is a form without a usable boundary. */
const hasBadBoundary = (contentType: string): boolean => {
  const boundary = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType)
  const length = (boundary?.[1] ?? boundary?.[2] ?? '').length
  return length === 0 || length > BOUNDARY_MAX
}

const formExpected = apiError(
  415,
  'unsupported_media_type',
  'Send the file as a form with Content-Type: multipart/form-data.',
  '请使用 Content-Type: multipart/form-data 以表单发送文件。',
)

/** Types with a parser. A route that expects a file answers that it lacks one. */
const READABLE = /^application\/(json|x-www-form-urlencoded)\b/i

/**
 * Rejects unreadable forms, and uploads of another type, before parsing. Drops the content type of an empty
 * body, which clients set on requests without a body too (conventions-41).
 */
export function checkContentType(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { headers } = request
  const type = headers['content-type']
  const { consumes } = (request.routeOptions.schema ?? {}) as { consumes?: string[] }
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty && !consumes) delete headers['content-type']
  const takesForm = type !== undefined && consumes?.includes('multipart/form-data') === true
  // Other routes answer 415 to a multipart body.
  if (!takesForm) done()
  else if (type.startsWith('multipart/')) done(hasBadBoundary(type) ? unreadable() : undefined)
  else done(consumes.length > 1 || READABLE.test(type) ? undefined : formExpected())
}

/** Adds the normalizing hook to routes with a body only. */
export function prepareBody(route: RouteOptions): void {
  const body = route.schema?.body as { type?: string } | undefined
  if (!body) return
  const isObject = body.type === 'object'
  const prepare = (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    if (request.body === undefined || request.body === null) request.body = {}
    // Existing clients send the parameters of these methods in body or query (conventions-17).
    if (request.method !== 'POST' && isObject && isRecord(request.body) && isRecord(request.query))
      request.body = { ...request.query, ...request.body }
    done()
  }
  route.preValidation = [prepare, ...[route.preValidation ?? []].flat()] as (typeof prepare)[]
}

/** Replies to invalid input. A route with `load` does it itself, after the load. */
export function answerInvalid(request: FastifyRequest, _reply: FastifyReply, done: Done) {
  const failure = request.validationError as (Error & { validationContext?: string }) | undefined
  if (!failure) return done()
  if (failure.validationContext === 'params') return done(notFound())
  done(request.routeOptions.config.loads ? undefined : failure)
}

/** Parses JSON in UTF-8. An empty body is none. */
export function acceptBodies(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (bytes.length === 0) done(null, undefined)
    // Decoding would replace other bytes by U+FFFD.
    else if (!isUtf8(bytes)) done(unreadable())
    // biome-ignore lint/nursery/noFloatingPromises: the parser calls `done`.
    else parse(request, bytes.toString(), done)
  })
}

/**
 * Aborts requests with a body that stopped arriving for `idleMs`, with the reply of `refuse`. Slow uploads
 * that continue have the server's full request timeout.
 */
export function endStalledBodies(
  server: Server,
  idleMs: number,
  refuse: (error: Error & { code?: string }, socket: FastifyRequest['raw']['socket']) => void,
): void {
  server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { raw } = request
    if (isBodyOutstanding(request)) {
      const { socket } = raw
      raw.setTimeout(idleMs, () =>
        refuse(Object.assign(new Error('the body stopped'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
      )
      // Afterwards the reply may take longer. Once it is sent, Node's timeout of idle connections runs.
      raw.once('end', () => reply.raw.writableFinished || socket.setTimeout(0))
    }
    done()
  })
}

type Socket = FastifyRequest['raw']['socket']
type Body = { address: string; bytes: number; close: (code: RefusalCode) => void }
type Share = { bytes: number; bodies: Set<Body> }

/** Rejections of a body in transit: the address exceeds its share, or all memory for bodies is used. */
export type RefusalCode = 'BODIES_OF_ADDRESS' | 'BODIES_OF_ALL'

/** Share of each limit for one address. */
const SHARE = 1 / 8
/** Memory overhead of a chunk. A body sent byte by byte takes a hundred times its length. */
const PIECE_BYTES = 256
const RETRY_AFTER = 5

/** Returns whether part of the body is outstanding. Injected test requests have no connection. */
const isBodyOutstanding = ({ headers, raw }: FastifyRequest): boolean =>
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) &&
  !raw.complete &&
  raw.socket.bytesRead !== undefined

/** Uploads stream to disk, so only their number is bounded here. */
const isStreamed = ({ headers, routeOptions }: FastifyRequest) =>
  headers['content-type']?.startsWith('multipart/') === true &&
  (routeOptions.schema as { consumes?: string[] } | undefined)?.consumes?.includes('multipart/form-data') ===
    true

/**
 * Bounds the number and memory of incomplete request bodies, by address and in total. When the total is full,
 * the address with the largest share loses its newest body, so that others can continue.
 */
export function limitUnfinishedBodies(
  server: Server,
  limits: { bodies: number; bytes: number },
  refuse: (error: Error & { code?: string }, socket: Socket) => void,
): void {
  const shares = new Map<string, Share>()
  const total = { bodies: 0, bytes: 0 }

  const remove = (body: Body) => {
    const share = shares.get(body.address)
    if (!share?.bodies.delete(body)) return
    share.bytes -= body.bytes
    if (share.bodies.size === 0) shares.delete(body.address)
    total.bodies -= 1
    total.bytes -= body.bytes
  }
  const largestShare = (sizeOf: (share: Share) => number) =>
    [...shares.values()].reduce((largest, each) => (sizeOf(each) > sizeOf(largest) ? each : largest))
  /** Closes the newest body of the address with the most bodies. */
  const evictNewest = (): Body | undefined => {
    const newest = [...largestShare(({ bodies }) => bodies.size).bodies].at(-1)
    newest?.close('BODIES_OF_ALL')
    return newest
  }
  /** Closes the largest body of the address with the most memory. */
  const evictLargest = () =>
    [...largestShare(({ bytes }) => bytes).bodies]
      .reduce((largest, each) => (each.bytes > largest.bytes ? each : largest))
      .close('BODIES_OF_ALL')
  const add = (body: Body): Error | undefined => {
    const share = shares.get(body.address) ?? { bytes: 0, bodies: new Set() }
    if (share.bodies.size + 1 > limits.bodies * SHARE)
      return tooManyRequests({ headers: { 'Retry-After': RETRY_AFTER } })
    shares.set(body.address, share)
    share.bodies.add(body)
    total.bodies += 1
    if (total.bodies > limits.bodies && evictNewest() === body) return new Busy('too many unfinished bodies')
    return undefined
  }
  const count = (body: Body, bytes: number) => {
    const share = shares.get(body.address)
    if (!share?.bodies.has(body)) return
    body.bytes += bytes
    share.bytes += bytes
    total.bytes += bytes
    if (share.bytes > limits.bytes * SHARE) body.close('BODIES_OF_ADDRESS')
    else if (total.bytes > limits.bytes) evictLargest()
  }

  server.addHook('onRequest', (request: FastifyRequest, _reply: FastifyReply, done) => {
    if (!isBodyOutstanding(request)) return done()
    const { raw } = request
    let isAdmitted = false
    const body: Body = {
      address: addressKey(request.ip),
      bytes: 0,
      close(code) {
        remove(body)
        if (isAdmitted) refuse(Object.assign(new Error('too many unfinished bodies'), { code }), raw.socket)
      },
    }
    const refusal = add(body)
    if (refusal) return done(refusal)
    isAdmitted = true
    for (const event of ['end', 'close']) raw.once(event, () => remove(body))
    if (!isStreamed(request)) {
      // Pauses the stream, because a listener would start it before its parser listens.
      raw.pause()
      raw.on('data', (piece: Buffer) => count(body, piece.length + PIECE_BYTES))
    }
    done()
  })
}
