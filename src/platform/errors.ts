export type Text = { en: string; zh: string }

export type Language = keyof Text

type Details = {
  /** Errors by field, sent with status 422 (conventions-7). */
  errors?: Record<string, Text[]>
  extra?: Record<string, unknown>
  headers?: Record<string, string | number>
}

/** Clients receive the text of an error of this class. `toApiError` converts all other errors. */
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

export type DeclaredError = {
  readonly status: number
  readonly code: string
  readonly text: Text
  readonly adds?: readonly string[]
}

/** Overload error, sent as 503 with `Retry-After`. */
export class Busy extends Error {
  readonly retryAfter = 1

  constructor(message: string) {
    super(message)
    this.name = 'Busy'
  }
}

/**
 * Declares an error, for use as in `throw noSuchTopic()`. Clients receive `code` in the `X-Error-Code` header.
 */
export function apiError(status: number, code: string, en: string, zh: string) {
  const make = (details: Details = {}) => new ApiError(status, code, { en, zh }, details)
  return Object.assign(make, { status, code, text: { en, zh } } satisfies DeclaredError)
}

/** Declares a 403 whose response body has the reason and end of the sanction (sign-in-27). */
export function sanctionError(code: string, en: string, zh: string) {
  const adds = ['reason', 'ends_at'] as const
  return Object.assign(apiError(403, code, en, zh), { adds } satisfies Partial<DeclaredError>)
}

/** Declares a 403 for unpaid content. The response body has the price (feeds-10). */
export function unpaidError(code: string, en: string, zh: string) {
  const make = (price: { node: number; amount: number }) =>
    new ApiError(403, code, { en, zh }, { extra: { paid_node: price.node, amount: price.amount } })
  return Object.assign(make, {
    status: 403,
    code,
    text: { en, zh },
    adds: ['paid_node', 'amount'],
  } satisfies DeclaredError)
}

const INVALID: Text = { en: 'The given data was invalid.', zh: '提交的数据不正确。' }

export const invalidInput: DeclaredError = { status: 422, code: 'validation_failed', text: INVALID }

export function invalidField(field: string, text: Text, code = 'validation_failed'): ApiError {
  return invalidFields({ [field]: [text] }, code)
}

export function fieldError(field: string, code: string, en: string, zh: string) {
  const make = () => invalidField(field, { en, zh }, code)
  return Object.assign(make, { status: 422, code, text: { en, zh } } satisfies DeclaredError)
}

export function invalidFields(errors: Record<string, Text[]>, code = 'validation_failed'): ApiError {
  return new ApiError(422, code, INVALID, { errors })
}

export const badRequest = apiError(400, 'bad_request', 'The request could not be read.', '无法解析请求。')
export const bodyTooLarge = apiError(413, 'body_too_large', 'The body is too large.', '请求内容过大。')
export const unsupportedMediaType = apiError(
  415,
  'unsupported_media_type',
  'Send the body as JSON with Content-Type: application/json.',
  '请使用 Content-Type: application/json 发送 JSON 内容。',
)
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
/** Rejects changes of an account whose owner deleted it (rights-2). */
export const accountErased = apiError(
  422,
  'account_erased',
  'The owner deleted this account. It can no longer be changed.',
  '该账号已由本人注销，无法再修改。',
)
export const silenced = sanctionError('silenced', 'You may read, but not write.', '你已被禁言。')
/** Rejects a client address that an administrator blocked (administration-19). */
export const addressBlocked = apiError(
  403,
  'address_blocked',
  'Your address is blocked.',
  '你的 IP 地址已被封禁。',
)
export const tooManyRequests = apiError(
  429,
  'too_many_requests',
  'Too many requests. Wait a moment and try again.',
  '请求过于频繁，请稍后再试。',
)
/** Rejects an administrator without a second factor when the site requires one (rights-8). */
export const secondFactorNeeded = apiError(
  403,
  'second_factor_needed',
  'Administrators need two-step verification on this site. Turn yours on first (/user/second-factor).',
  '本站要求管理员开启两步验证，请先开启。',
)
