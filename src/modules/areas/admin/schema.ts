import { listingQuery } from '#platform/listing.ts'
import { Int, MAX_ID, type Static, Type } from '#platform/schema.ts'

export const AreaQuery = Type.Object({
  ...listingQuery(['id', 'name']),
  pid: Type.Optional(Int(0, MAX_ID, { description: 'Only what is directly in this area; 0 for the top' })),
})
export type AreaQuery = Static<typeof AreaQuery>
