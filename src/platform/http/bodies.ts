import { isUtf8 } from 'node:buffer'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Config } from '#platform/config'
import {
  apiError,
  Busy,
  badRequest,
  notFound,
  tooManyRequests,
  unsupportedMediaType,
} from '#platform/errors.ts'
import { addressKey } from './admission.ts'
import { withQuery } from './input.ts'
import type { Server } from './instance.ts'
import type { Refuse } from './unreadable.ts'

type Done = (error?: Error) => void

const consumesOf = ({ routeOptions }: FastifyRequest) =>
  (routeOptions.schema as { consumes?: string[] } | undefined)?.consumes

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Limit of RFC 2046. The form parser fails on much longer boundaries. */
const BOUNDARY_MAX = 70

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

/**
 * Content types that an upload route reads besides `multipart/form-data`, so that the route reports a missing
 * file instead of 415.
 */
const READABLE = /^application\/(json|x-www-form-urlencoded)\b/i

/**
 * Rejects uploads with a content type that the route cannot read, or without a usable boundary, before parsing.
 * On other routes, drops the content type of an empty body, because some clients send a content type
 * without a body (conventions-41).
 */
export function checkContentType(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const { headers } = request
  const type = headers['content-type']
  const consumes = consumesOf(request)
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty && !consumes) delete headers['content-type']
  const takesForm = type !== undefined && consumes?.includes('multipart/form-data') === true
  // Fastify responds with 415 to a multipart body on routes that take no form.
  if (!takesForm) done()
  else if (type.startsWith('multipart/')) done(hasBadBoundary(type) ? badRequest() : undefined)
  else done(consumes.length > 1 || READABLE.test(type) ? undefined : formExpected())
}

export function prepareBody(route: RouteOptions): void {
  const body = route.schema?.body as
    | { type?: string; properties?: object; additionalProperties?: unknown }
    | undefined
  if (!body) return
  const isObject = body.type === 'object'
  const hasToken = 'token' in (body.properties ?? {})
  const isPublic = route.config?.access === 'public'
  // Otherwise `token` in the query is the credential (conventions-21).
  const isTokenField = ({ headers }: FastifyRequest) =>
    hasToken && (isPublic || headers.authorization !== undefined)
  const prepare = (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    const { body: sent, query } = request
    // PHP encodes an object without fields as `[]`.
    const isEmpty =
      sent === undefined || sent === null || (isObject && Array.isArray(sent) && sent.length === 0)
    if (isEmpty) request.body = {}
    if (isObject && isRecord(request.body) && isRecord(query)) {
      const { token: _credential, ...rest } = query
      request.body = withQuery(isTokenField(request) ? query : rest, request.body)
    }
    done()
  }
  route.preValidation = [prepare, ...[route.preValidation ?? []].flat()] as (typeof prepare)[]
}

/**
 * Rejects invalid input before the handler runs. Routes with `load`, `precheck` or `idempotent` reject an invalid
 * query or body themselves, after their other checks.
 */
export function answerInvalid(request: FastifyRequest, _reply: FastifyReply, done: Done) {
  const failure = request.validationError as (Error & { validationContext?: string }) | undefined
  if (!failure) return done()
  if (failure.validationContext === 'params') return done(notFound())
  done(request.routeOptions.config.loads ? undefined : failure)
}

export function acceptBodies(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    if (bytes.length === 0) done(null, undefined)
    // `toString` would silently replace invalid UTF-8 with U+FFFD.
    else if (!isUtf8(bytes)) done(badRequest())
    // biome-ignore lint/nursery/noFloatingPromises: the parser calls `done`.
    else parse(request, bytes.toString(), done)
  })
  // Any other content type is a 415, except without a byte. Only its end tells that a chunked body is empty.
  server.addContentTypeParser('*', ({ headers }, payload, done) => {
    const refuse = () => {
      payload.off('end', accept)
      done(unsupportedMediaType())
    }
    const accept = () => done(null, undefined)
    if (headers['transfer-encoding'] === undefined) return refuse()
    payload.once('data', refuse).once('end', accept).resume()
  })
}

type Body = { address: string; bytes: number; socket: Socket }
type Share = { bytes: number; bodies: Set<Body> }

const SHARE_PER_ADDRESS = 1 / 8
/**
 * Estimated memory overhead of one chunk. The limits include this overhead, so that a client that sends single
 * bytes cannot use far more memory than its limit.
 */
const PIECE_BYTES = 256
const RETRY_AFTER = 5
/**
 * Bytes of a rejected body that the server reads and drops. If the server closed the connection while a client still
 * sends, the client would see a connection error instead of the reply.
 */
const DROPPED_BYTES = 32 * 1024 * 1024

/**
 * Returns true while the server still waits for the body of a request. Returns false for injected requests, whose
 * socket has no `bytesRead`.
 */
const isBodyOutstanding = ({ headers, raw }: FastifyRequest): boolean =>
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) &&
  !raw.complete &&
  raw.socket.bytesRead !== undefined

const largestOf = <T>(items: Iterable<T>, sizeOf: (item: T) => number): T =>
  [...items].reduce((largest, each) => (sizeOf(each) > sizeOf(largest) ? each : largest))

/** Uploads stream to disk, so they count towards the number of bodies but not towards memory. */
const isStreamed = (request: FastifyRequest) =>
  request.headers['content-type']?.startsWith('multipart/') === true &&
  consumesOf(request)?.includes('multipart/form-data') === true

/**
 * Rejects a request when no part of its body arrives for `idleMs`. Only `requestTimeout` limits a slow upload
 * that continues.
 */
function endWhenStalled({ raw }: FastifyRequest, reply: FastifyReply, idleMs: number, refuse: Refuse): void {
  const { socket } = raw
  raw.setTimeout(idleMs, () => refuse({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket))
  // Removes the socket's timeout while the handler runs. After the reply, Node's keep-alive timeout must stay.
  raw.once('end', () => reply.raw.writableFinished || socket.setTimeout(0))
}

function dropRest({ raw }: FastifyRequest): void {
  let left = DROPPED_BYTES
  raw.unpipe()
  raw.removeAllListeners('data')
  raw.on('data', (piece: Buffer) => {
    left -= piece.length
    if (left < 0) raw.socket.destroy()
  })
  raw.resume()
}

/**
 * Limits the number and memory of incomplete request bodies, per client address and in total. When a total
 * is exceeded, rejects a body of the client address with the most bodies or bytes.
 */
export function limitUnfinishedBodies(
  server: Server,
  { unfinishedBodies: limits, requestIdleMs }: Pick<Config, 'unfinishedBodies' | 'requestIdleMs'>,
  refuse: Refuse,
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
  const close = (body: Body, code: 'BODIES_OF_ADDRESS' | 'BODIES_OF_ALL') => {
    remove(body)
    refuse({ code }, body.socket)
  }
  const add = (body: Body): Error | undefined => {
    const share = shares.get(body.address) ?? { bytes: 0, bodies: new Set() }
    if (share.bodies.size + 1 > limits.bodies * SHARE_PER_ADDRESS)
      return tooManyRequests({ headers: { 'Retry-After': RETRY_AFTER } })
    shares.set(body.address, share)
    share.bodies.add(body)
    total.bodies += 1
    if (total.bodies <= limits.bodies) return undefined
    const { bodies } = largestOf(shares.values(), (each) => each.bodies.size)
    const newest = [...bodies].at(-1) as Body
    if (newest !== body) return void close(newest, 'BODIES_OF_ALL')
    remove(body)
    return new Busy('too many unfinished bodies')
  }
  const count = (body: Body, bytes: number) => {
    const share = shares.get(body.address)
    if (!share?.bodies.has(body)) return
    body.bytes += bytes
    share.bytes += bytes
    total.bytes += bytes
    if (share.bytes > limits.bytes * SHARE_PER_ADDRESS) return close(body, 'BODIES_OF_ADDRESS')
    if (total.bytes <= limits.bytes) return
    const { bodies } = largestOf(shares.values(), (each) => each.bytes)
    const largest = largestOf(bodies, (each) => each.bytes)
    close(largest, 'BODIES_OF_ALL')
  }

  server.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    if (!isBodyOutstanding(request)) return done()
    const { raw } = request
    const body = { address: addressKey(request.ip), bytes: 0, socket: raw.socket }
    const refusal = add(body)
    if (refusal) return done(refusal)
    for (const event of ['end', 'close']) raw.once(event, () => remove(body))
    if (!isStreamed(request)) {
      // Pauses the stream, because a `data` listener would start it before the body parser listens.
      raw.pause()
      raw.on('data', (piece: Buffer) => count(body, piece.length + PIECE_BYTES))
    }
    endWhenStalled(request, reply, requestIdleMs, refuse)
    done()
  })
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (isBodyOutstanding(request)) {
      // Fastify would close the connection after a body that it could not read.
      reply.removeHeader('connection')
      dropRest(request)
    }
    done()
  })
}
