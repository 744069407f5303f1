import { Listing } from '#platform/listing.ts'
import { Flag, Nullable, OneOf, Text, TextList, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

const fields = {
  url: Text(2000, { minLength: 1 }),
  description: Text(500, { 'x-empty': true }),
  types: Nullable(TextList(100, 100)),
  enabled: Flag(),
}

/** `types` are names of events such as `feed.created`; null or missing means all. */
export const WebhookInput = Type.Object({
  url: fields.url,
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

export const WebhookChanges = Type.Object({
  url: Type.Optional(fields.url),
  description: Type.Optional(fields.description),
  types: Type.Optional(fields.types),
  enabled: Type.Optional(fields.enabled),
})

export const WebhookView = Type.Object({
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

export const WebhookListing = Listing(WebhookView)
export const WebhookQuery = Type.Object({
  ...listingQuery(['id', 'url', 'failures']),
  enabled: Type.Optional(Flag()),
})

/** The secret is shown here and never again. */
export const CreatedWebhook = Type.Object({ id: Type.Integer(), secret: Type.String() })
export const RotatedSecret = Type.Object({ secret: Type.String() })

const delivery = {
  id: Type.Integer(),
  key: Type.String({ description: 'The webhook-id that receivers tell repeats by' }),
  type: Type.String(),
  status: Type.String({ description: 'pending, delivered, failed or cancelled' }),
  attempts: Type.Integer(),
  next_attempt_at: Nullable(Time),
  created_at: Time,
}

export const DeliveryView = Type.Object({
  ...delivery,
  body: Type.String({ description: 'What is sent, byte by byte' }),
  log: Type.Array(
    Type.Object({
      at: Type.String(),
      status: Nullable(Type.Integer()),
      error: Nullable(Type.String()),
      ms: Type.Integer(),
      response: Type.String(),
    }),
  ),
})

export const DeliveryListing = Listing(Type.Object(delivery))
const status = OneOf(['pending', 'delivered', 'failed', 'cancelled'] as const)
export const DeliveryQuery = Type.Object({
  ...listingQuery(['id']),
  status: Type.Optional(status),
  type: Type.Optional(Text(100)),
})

/** Sends again what failed or was cancelled since a time, `YYYY-MM-DD HH:MM:SS` or ISO 8601. */
export const ReplayBody = Type.Object({
  since: Text(40, { pattern: '^\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z?$' }),
})
export const Replayed = Type.Object({ count: Type.Integer() })
