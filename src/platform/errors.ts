/** A sentence in the two languages that Kith speaks. */
export type Text = { en: string; zh: string }

export type Language = keyof Text

type Details = {
  /** Field errors, which a 422 tells beside its message (conventions-7). */
  errors?: Record<string, Text[]>
  /** Further fields of the body, such as `paid_node` and `amount` of an unpaid feed. */
  extra?: Record<string, unknown>
  headers?: Record<string, string | number>
}

/** The only failure whose text a client is told; everything else that is thrown is a fault of ours. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly text: Text
  readonly details: Details

  constructor(status: number, code: string, text: Text, details: Details = {}) {
    super(text.en)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.text = text
    this.details = details
  }
}

/** An error that a route may answer with, as its documentation tells it. */
export type DeclaredError = { readonly status: number; readonly code: string; readonly text: Text }
/** More is waiting than can be answered in time: a 503 that says when to come back. */
export class Busy extends Error {
  readonly retryAfter = 1

  constructor(message: string) {
    super(message)
    this.name = 'Busy'
  }
}

/** Declares an error once, to be made where it is thrown: `throw noSuchTopic()`. `code` goes out as `X-Error-Code`. */
export function apiError(status: number, code: string, en: string, zh: string) {
  const make = (details: Details = {}) => new ApiError(status, code, { en, zh }, details)
  return Object.assign(make, { status, code, text: { en, zh } } satisfies DeclaredError)
}

const INVALID: Text = { en: 'The given data was invalid.', zh: '提交的数据不正确。' }

/** What a route with input declares: the 422 that tells what is wrong with each field. */
export const invalidInput: DeclaredError = { status: 422, code: 'validation_failed', text: INVALID }

/** A 422 on one field (conventions-7). */
export function invalidField(field: string, text: Text, code = 'validation_failed'): ApiError {
  return new ApiError(422, code, INVALID, { errors: { [field]: [text] } })
}

/** Declares a 422 on one field once, with a code of its own: `throw unknownTopic()`. */
export function fieldError(field: string, code: string, en: string, zh: string) {
  const make = () => invalidField(field, { en, zh }, code)
  return Object.assign(make, { status: 422, code, text: { en, zh } } satisfies DeclaredError)
}

/** A 422 on several fields. */
export function invalidFields(errors: Record<string, Text[]>, code = 'validation_failed'): ApiError {
  return new ApiError(422, code, INVALID, { errors })
}

export const notFound = apiError(404, 'not_found', 'This content does not exist.', '内容不存在。')
export const unauthenticated = apiError(
  401,
  'unauthenticated',
  'Sign in to continue: the access token is missing, expired or revoked.',
  '请先登录：访问令牌缺失、已过期或已失效。',
)
export const forbidden = apiError(403, 'forbidden', 'You may not do this.', '你没有权限执行此操作。')
export const blocked = apiError(
  403,
  'blocked',
  'This person does not accept contact from you.',
  '对方已将你加入黑名单。',
)
/** What somebody is told who may only read; the text says why and until when (sign-in-27). */
export const silenced = apiError(403, 'silenced', 'You may read, but not write.', '你已被禁言。')
/** What somebody is told whose address is blocked; the text says until when (administration-19). */
export const addressBlocked = apiError(
  403,
  'address_blocked',
  'Nothing is taken from your address.',
  '你所在的网络地址已被封禁。',
)
export const tooManyRequests = apiError(
  429,
  'too_many_requests',
  'Too many requests. Wait a moment and try again.',
  '请求过于频繁，请稍后再试。',
)
/** The setting asks administrators for a second factor (rights-8). */
export const secondFactorNeeded = apiError(
  403,
  'second_factor_needed',
  'Administrators need a second factor here. Turn yours on first (/user/second-factor).',
  '本站要求管理员开启两步验证，请先开启。',
)
