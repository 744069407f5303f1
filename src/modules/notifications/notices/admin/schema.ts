import { listingQuery } from '#platform/listing.ts'
import { Flag, IdList, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

const contents = Text(5000, { minLength: 1 })

/** A notice to some people or to everybody: either `user_ids` or `all`. */
export const NoticeInput = Shared('NewNotice', {
  user_ids: Type.Optional(IdList(1000)),
  all: Type.Optional(Flag()),
  contents,
})

/** Another text. */
export const NoticeChanges = Shared('NoticeChanges', { contents: Type.Optional(contents) })

/** A notice and how far it has come. */
export const NoticeView = Shared('Notice', {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Who sends it' }),
  contents: Type.String(),
  all: Type.Boolean(),
  user_ids: Nullable(Type.Array(Type.Integer())),
  status: Type.String({ description: 'sending or sent' }),
  sent: Type.Integer({ description: 'How many people were told so far' }),
  total: Type.Integer({ description: 'How many it is for; 0 until a notice to everybody has begun' }),
  created_at: Time,
  finished_at: Nullable(Time),
})

/** Notices by their state and a part of the text. */
export const NoticeQuery = Type.Object({
  ...listingQuery(['id', 'sent']),
  status: Type.Optional(OneOf(['sending', 'sent'] as const)),
})
export type NoticeQuery = Static<typeof NoticeQuery>
