import { Id, type Static, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

export const AdvertisementQuery = Type.Object({
  ...listingQuery(['id', 'sort']),
  space_id: Type.Optional(Id),
})
export type AdvertisementQuery = Static<typeof AdvertisementQuery>
