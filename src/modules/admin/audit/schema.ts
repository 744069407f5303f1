import { Listing } from '#platform/listing.ts'
import { Id, Nullable, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** One administrative change. `before` and `after` hold what changed, without secrets. */
export const AuditRecord = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  action: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.String(),
  before: Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
  after: Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })),
  request_id: Type.String(),
  created_at: Time,
})

export const AuditListing = Listing(AuditRecord)

export const AuditQuery = Type.Object({
  ...listingQuery(['id']),
  user_id: Type.Optional(Id),
  action: Type.Optional(Text(100)),
  subject_type: Type.Optional(Text(100)),
  subject_id: Type.Optional(Text(100)),
})
