import { listingQuery } from '#platform/listing.ts'
import { CursorBy, OneOf, Shared, type Static, Time, Type } from '#platform/schema.ts'
import { FAMOUS_TYPES } from '../../famous/schema.ts'
import { UserView } from '../../schema.ts'

const FamousTypeName = OneOf(FAMOUS_TYPES)

/** Somebody whom everybody follows from the start, and since when. */
export const Famous = Shared('FamousUser', { type: FamousTypeName, created_at: Time, user: UserView })

/** Famous people by kind and a part of their name. */
export const FamousQuery = Type.Object({
  ...listingQuery(['created_at', 'id']),
  after: CursorBy('user.id'),
  type: Type.Optional(FamousTypeName),
})
export type FamousQuery = Static<typeof FamousQuery>

/** Whether the famous person follows back. */
export const FamousBody = Shared('Fame', { type: OneOf(FAMOUS_TYPES) })
