import { listingQuery } from '#platform/listing.ts'
import { Id, Nullable, Open, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** One administrative change. `before` and `after` hold what changed, without secrets. */
export const AuditRecord = Shared('AuditRecord', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  action: Type.String(),
  subject_type: Type.String(),
  subject_id: Type.String(),
  before: Nullable(Open),
  after: Nullable(Open),
  request_id: Type.String(),
  created_at: Time,
})

/** Changes by who made them, what was done, and to what. */
export const AuditQuery = Type.Object({
  ...listingQuery(['id']),
  user_id: Type.Optional(Id),
  action: Type.Optional(Text(100)),
  subject_type: Type.Optional(Text(100)),
  subject_id: Type.Optional(Text(100)),
})
export type AuditQuery = Static<typeof AuditQuery>
