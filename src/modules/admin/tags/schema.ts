import { Listing } from '#platform/listing.ts'
import { Id, Int, type Static, Text, Time, Type } from '#platform/schema.ts'
import { listingQuery } from '../paging.ts'

/** A category as administrators see it. */
export const ManagedCategory = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags_count: Type.Integer(),
  created_at: Time,
})
export type ManagedCategory = Static<typeof ManagedCategory>

/** A tag as administrators see it. */
export const ManagedTag = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  tag_category_name: Type.String(),
  weight: Type.Integer(),
  created_at: Time,
})
export type ManagedTag = Static<typeof ManagedTag>

export const CategoryListing = Listing(ManagedCategory)
export const TagListing = Listing(ManagedTag)

export const CategoryQuery = Type.Object(listingQuery(['weight', 'id', 'name']))
export type CategoryQuery = Static<typeof CategoryQuery>
export const TagQuery = Type.Object({
  ...listingQuery(['id', 'weight', 'name']),
  tag_category_id: Type.Optional(Id),
})
export type TagQuery = Static<typeof TagQuery>

const weight = Type.Optional(Int(-1_000_000, 1_000_000, { description: 'The heavier comes first' }))
const CategoryName = Text(50)
/** At most ten characters (R §23.2). */
const TagName = Text(10)

export const CategoryInput = Type.Object({ name: CategoryName, weight })
export const CategoryChanges = Type.Object({ name: Type.Optional(CategoryName), weight })
export type CategoryChanges = Static<typeof CategoryChanges>

export const TagInput = Type.Object({ name: TagName, tag_category_id: Id, weight })
export const TagChanges = Type.Object({
  name: Type.Optional(TagName),
  tag_category_id: Type.Optional(Id),
  weight,
})
export type TagChanges = Static<typeof TagChanges>
