import { Listing } from '#platform/listing.ts'
import { Flag, IdList, Nullable, OneOf, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

const contents = Text(5000, { minLength: 1 })

/** Either `user_ids` or `all`. */
export const NoticeInput = Type.Object({
  user_ids: Type.Optional(IdList(1000)),
  all: Type.Optional(Flag()),
  contents,
})

export const NoticeChanges = Type.Object({ contents: Type.Optional(contents) })

export const NoticeView = Type.Object({
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

export const NoticeListing = Listing(NoticeView)

export const NoticeQuery = Type.Object({
  ...listingQuery(['id', 'sent']),
  status: Type.Optional(OneOf(['sending', 'sent'] as const)),
})
