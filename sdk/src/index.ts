export { type Answer, type ClientOptions, createClient, type Kith } from './client.ts'
export { isKithError, KithError, type KnownErrorCode } from './errors.ts'
export type { components, operations, paths } from './generated/api.ts'
export type { AnswerSecondFactor, Session } from './session.ts'
export { browserTokens, memoryTokens, type StoredToken, type TokenStore } from './token-store.ts'
export type { RetryOptions } from './transport.ts'

import type { components } from './generated/api.ts'

/** An object of the wire by its name: `Schema<'Feed'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
