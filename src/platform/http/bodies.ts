import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { apiError, notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'

type Done = (error?: Error) => void

const unreadable = apiError(400, 'bad_request', 'The request could not be read.', '无法解析请求。')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 2046 allows 70 characters; the parser of forms fails on much longer ones. */
const BOUNDARY_MAX = 70

/** Whether the body is a form whose parts no parser could tell apart. */
const hasBadBoundary = (contentType: string): boolean => {
  const boundary = /boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType)
  const length = (boundary?.[1] ?? boundary?.[2] ?? '').length
  return length === 0 || length > BOUNDARY_MAX
}

/** Refuses forms that cannot be read, before anything of them is. */
export function refuseBadForms(request: FastifyRequest, _reply: FastifyReply, done: Done): void {
  const type = request.headers['content-type']
  const isBad = type?.startsWith('multipart/') === true && hasBadBoundary(type)
  done(isBad ? unreadable() : undefined)
}

/** Gives a route that takes a body the hook that brings it into form; the others are spared it. */
export function prepareBody(route: RouteOptions): void {
  const body = route.schema?.body as { type?: string } | undefined
  if (!body) return
  const isObject = body.type === 'object'
  const prepare = (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    if (request.body === undefined || request.body === null) request.body = {}
    // Existing clients send the parameters of these verbs either way (conventions-17).
    if (request.method !== 'POST' && isObject && isRecord(request.body) && isRecord(request.query))
      request.body = { ...request.query, ...request.body }
    done()
  }
  route.preValidation = [prepare, ...[route.preValidation ?? []].flat()] as (typeof prepare)[]
}

/** The hook that answers input which is not valid; a route that loads what its path names answers after that, itself. */
export function answerInvalid(request: FastifyRequest, _reply: FastifyReply, done: Done) {
  const failure = request.validationError as (Error & { validationContext?: string }) | undefined
  if (!failure) return done()
  if (failure.validationContext === 'params') return done(notFound())
  done(request.routeOptions.config.loads ? undefined : failure)
}

/** Clients set the JSON content type on requests without a body too. */
export function acceptEmptyJson(server: Server): void {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.removeContentTypeParser(['application/json', 'text/plain'])
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body as string, done)
  })
}
