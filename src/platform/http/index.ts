export {
  addressKey,
  attemptCounter,
  type ByteRequester,
  bearerToken,
  byteRequester,
  type CountAttempt,
  type Device,
  deviceOf,
  limitByteRequests,
  ownAttemptCounter,
  type Payer,
  payerOf,
  rateExceeded,
  setRateHeaders,
  type Viewer,
} from './admission.ts'
export { addDocumentation } from './api-docs.ts'
export type { ApiTag } from './api-tags.ts'
export { addVary, isUnchanged, language } from './caching.ts'
export { noSuchPath } from './error-reply.ts'
export { readFields } from './forms.ts'
export { guestPurgeOf } from './guest-purge.ts'
export { addHealth, serveMetrics, signSite } from './health.ts'
export { deleteOldKeys } from './idempotency.ts'
export { compileInput, InputError, withQuery } from './input.ts'
export { API, encapsulate, type Server } from './instance.ts'
export { Listing, listingQuery, pageOf, pageOfNewest } from './listing.ts'
export { builtFolder, packageFolder, sendAsset, sendNotBuilt } from './packages.ts'
export { routesOn, withPrefixAlias } from './route.ts'
export type { AddRoute, UnvalidatedCall } from './route-options.ts'
export * from './schema.ts'
export { type SeenAddresses, seenAddresses } from './seen-addresses.ts'
export { type ByteSource, sendBytes } from './send.ts'
export { createServer, localizedMessage } from './server.ts'
export { addTextSource, treesOf } from './text-trees.ts'
export { cookieOf, TOKEN_MINUTES } from './web/session.ts'
