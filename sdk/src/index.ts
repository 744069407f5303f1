import type { components } from './generated/api.ts'

export type { Chat, ChatEvent, ChatMessage, ChatStreamOptions, Chats, NewChatMessage } from './chat.ts'
export { type Answer, type ClientOptions, createClient, type Kith } from './client.ts'
export {
  type ErrorCodeOf,
  errorOf,
  isKithError,
  KithError,
  type KithErrorOf,
  type KnownErrorCode,
  type UnpaidError,
} from './errors.ts'
export type { components, operations, paths } from './generated/api.ts'
export { newKey } from './key.ts'
export { md5 } from './md5.ts'
export { type ItemOf, type ListPath, nextQuery, pageItems } from './paging.ts'
export type { AnswerSecondFactor, Session } from './session.ts'
export type { StreamedNotification, StreamOptions } from './stream.ts'
export { browserTokens, memoryTokens, type StoredToken, type TokenStore } from './token-store.ts'
export type { RetryOptions } from './transport.ts'
export type { Progress, Uploaded, UploadOptions } from './upload.ts'
export { verifyWebhook, type WebhookMessage } from './webhooks.ts'

/** Type of an API object, such as `Schema<'Feed'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
