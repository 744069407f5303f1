import { listingQuery } from '#platform/listing.ts'
import { Int, Shared, type Static, Text, Type } from '#platform/schema.ts'
import { GroupCategory } from '../../categories/schema.ts'

/** A category with the number of groups in it. */
export const CategoryRecord = Shared('GroupCategoryRecord', {
  ...GroupCategory.properties,
  groups_count: Type.Integer(),
})

export const CategoryQuery = Type.Object({
  ...listingQuery(['id', 'sort_by']),
  status: Type.Optional(Int(0, 1)),
})
export type CategoryQuery = Static<typeof CategoryQuery>

/** What a category is made of. */
export const NewGroupCategory = Shared('NewGroupCategory', {
  name: Text(50, { minLength: 1 }),
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
  status: Type.Optional(Int(0, 1, { description: '0 in use, 1 hidden' })),
})
export type NewGroupCategory = Static<typeof NewGroupCategory>
