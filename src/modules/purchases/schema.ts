import { Id, Nullable, RawText, Shared, type Static, Time, Type } from '#platform/schema.ts'

export const NodeParams = Type.Object({ node: Id })

/** `password`: while the site asks for it when paying (conventions-29). */
export const PayBody = Shared('Payment', { password: Type.Optional(RawText(128)) })

/** A payment node (money-11). */
export const PaidNode = Shared('PaidNode', {
  id: Type.Integer(),
  channel: Type.String({ description: 'feed, file or music' }),
  raw: Type.String(),
  subject: Type.String(),
  body: Type.String(),
  amount: Type.Integer(),
  user_id: Type.Integer(),
  extra: Nullable(Type.String({ description: 'For files: read, download or listen' })),
  created_at: Time,
  updated_at: Time,
  paid: Type.Boolean(),
})
export type PaidNode = Static<typeof PaidNode>
