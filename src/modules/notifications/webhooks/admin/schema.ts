import { apiError, fieldError } from '#platform/errors.ts'
import {
  Flag,
  Id,
  listingQuery,
  Nullable,
  OneOf,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
} from '#platform/http'

export const addressNotPublic = fieldError(
  'url',
  'address_not_public',
  'The url field must be a public address.',
  'url 必须是公网地址。',
)
export const webhookDisabled = apiError(
  422,
  'webhook_disabled',
  'This endpoint is disabled.',
  '该回调地址已停用。',
)

export const WebhookParams = Type.Object({ webhook: Id })
export const DeliveryParams = Type.Object({ webhook: Id, delivery: Id })

const fields = {
  url: Text(2000, { minLength: 1 }),
  description: Text(500, { 'x-empty': true }),
  types: Nullable(TextList(100, 100)),
  enabled: Flag(),
}

/** `types` are event names such as `feed.created`. Null or missing selects all. */
export const WebhookInput = Shared('NewWebhook', {
  url: fields.url,
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

/** Changes to an endpoint. Enabling one resets its failures. */
export const WebhookChanges = Shared('WebhookChanges', {
  url: Type.Optional(fields.url),
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

/** An endpoint, without its secret. */
export const WebhookView = Shared('Webhook', {
  id: Type.Integer(),
  url: Type.String(),
  description: Type.String(),
  types: Nullable(Type.Array(Type.String())),
  enabled: Type.Boolean(),
  failures: Type.Integer({ description: 'Failures since the last success' }),
  former_until: Nullable(Time),
  created_at: Time,
  updated_at: Time,
})

/** Filters endpoints by part of URL or description. */
export const WebhookQuery = Type.Object({
  ...listingQuery(['id', 'url', 'failures']),
  enabled: Type.Optional(Flag()),
})
export type WebhookQuery = Static<typeof WebhookQuery>

/** The only reply that contains the secret. */
export const CreatedWebhook = Shared('WebhookMade', { id: Type.Integer(), secret: Type.String() })
export const RotatedSecret = Shared('WebhookSecret', { secret: Type.String() })

const delivery = {
  id: Type.Integer(),
  key: Type.String({ description: 'The webhook-id that receivers tell repeats by' }),
  type: Type.String(),
  status: Type.String({ description: 'pending, delivered, failed or cancelled' }),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Time),
  created_at: Time,
}

/** A delivery in a list. */
export const DeliveryItem = Shared('WebhookDelivery', delivery)

/** A delivery with its body and every attempt. */
export const DeliveryView = Shared('WebhookDeliveryDetail', {
  ...delivery,
  body: Type.String({ description: 'What is sent, byte by byte' }),
  log: Type.Array(
    Shared('WebhookAttempt', {
      at: Type.String(),
      status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      ms: Type.Integer(),
      response: Type.String(),
    }),
  ),
})

const status = OneOf(['pending', 'delivered', 'failed', 'cancelled'] as const)
/** Filters deliveries of an endpoint by state and type. `q` is part of the id that receivers see. */
export const DeliveryQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(status),
  type: Type.Optional(Text(100)),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

/** Repeats deliveries that failed or were cancelled since a time, `YYYY-MM-DD HH:MM:SS` or ISO 8601. */
export const ReplayBody = Shared('WebhookReplay', {
  since: Text(40, { pattern: '^\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z?$' }),
})

/** Number of repeated deliveries. */
export const Replayed = Shared('WebhookReplayed', { count: Type.Integer() })
