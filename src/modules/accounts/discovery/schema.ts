import { Cursor, Limit, Offset, SameAs, Shared, Text, TextList, Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'

/** A page of people. */
export const DiscoveryQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

/** A page of people with a part of their name. */
export const SearchQuery = Type.Object({
  ...DiscoveryQuery.properties,
  keyword: Type.Optional(Text(100)),
  q: SameAs('keyword', Type.Optional(Text(100))),
})

/** The phone numbers of somebody's address book. */
export const PhonesInput = Shared('PhoneNumbers', { phones: TextList(100, 32, { minItems: 1 }) })

/** A person found by phone; `mobi` is the number as it was asked for. */
export const UserWithPhone = Shared('UserWithPhone', { ...UserView.properties, mobi: Type.String() })
