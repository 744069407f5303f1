import { Limit, Offset, Text, TextList, Type } from '#platform/schema.ts'
import { UserView } from '../schema.ts'

export const DiscoveryQuery = Type.Object({ limit: Limit(), offset: Offset })

export const SearchQuery = Type.Object({ ...DiscoveryQuery.properties, keyword: Type.Optional(Text(100)) })

/** The phone numbers of somebody's address book. */
export const PhonesInput = Type.Object({ phones: TextList(100, 32, { minItems: 1 }) })

/** A person found by phone; `mobi` is the number as it was asked for. */
export const UserWithPhone = Type.Object({ ...UserView.properties, mobi: Type.String() })
