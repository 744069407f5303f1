import { listingQuery } from '#platform/listing.ts'
import { Id, type Static, Type } from '#platform/schema.ts'

export const AdvertisementQuery = Type.Object({
  ...listingQuery(['id', 'sort']),
  space_id: Type.Optional(Id),
})
export type AdvertisementQuery = Static<typeof AdvertisementQuery>
