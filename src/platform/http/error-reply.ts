import type { FastifyReply } from 'fastify'
import { isConnectionError, isDiskFull, isRetryable } from '#platform/database'
import {
  ApiError,
  apiError,
  Busy,
  badRequest,
  bodyTooLarge,
  invalidFields,
  type Language,
  unsupportedMediaType,
} from '#platform/errors.ts'
import { InputError } from './input.ts'

export const noSuchPath = apiError(404, 'no_such_path', 'This path does not exist.', '该地址不存在。')

export const methodNotAllowed = apiError(
  405,
  'method_not_allowed',
  'This path does not support this method.',
  '该地址不支持此请求方法。',
)

const diskFull = apiError(507, 'storage_full', 'There is no space left for files.', '存储空间已满。')

export const unavailable = apiError(
  503,
  'unavailable',
  'The service is temporarily unavailable. Try again soon.',
  '服务暂时不可用，请稍后再试。',
)

/**
 * Converts any thrown value to an API error. `hasSentBytes` is true for uploads, so that a full disk is a
 * 507 instead of a 503.
 */
export function toApiError(error: unknown, { hasSentBytes = false } = {}): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof InputError) return invalidFields(error.fields)
  const { statusCode = 500, code = '' } = (error ?? {}) as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return bodyTooLarge()
  if (statusCode === 415) return unsupportedMediaType()
  if (statusCode >= 400 && statusCode < 500) return new ApiError(statusCode, badRequest.code, badRequest.text)
  if (isDiskFull(error) && hasSentBytes) return diskFull()
  if (error instanceof Busy || isConnectionError(error) || isRetryable(error) || isDiskFull(error))
    return unavailable({ headers: { 'Retry-After': error instanceof Busy ? error.retryAfter : 5 } })
  return new ApiError(500, 'internal_error', {
    en: 'Something went wrong on our side. Quote the X-Request-Id of this response when you report it.',
    zh: '服务器出现错误，反馈时请提供本次响应的 X-Request-Id。',
  })
}

/** Returns the JSON body of an error (conventions-7). */
export function errorBody({ text, details }: ApiError, language: Language) {
  const fields = Object.entries(details.errors ?? {}).map(([field, texts]) => [
    field,
    texts.map((each) => each[language]),
  ])
  return {
    message: text[language],
    ...(details.errors ? { errors: Object.fromEntries(fields) } : {}),
    ...details.extra,
  }
}

/** Sends the JSON body of an error. The route's serializer describes successes only and would drop its fields. */
export const sendError = (reply: FastifyReply, code: string, body: unknown): FastifyReply =>
  reply
    .header('X-Error-Code', code)
    .type('application/json; charset=utf-8')
    .serializer((fields: unknown) => JSON.stringify(fields))
    .send(body)
