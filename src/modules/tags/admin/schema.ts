import { listingQuery } from '#platform/listing.ts'
import { Id, Int, Shared, type Static, Text, Time, Type } from '#platform/schema.ts'

/** A category of tags as administrators see it. */
export const TagCategoryRecord = Shared('TagCategoryRecord', {
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags_count: Type.Integer(),
  created_at: Time,
})
export type TagCategoryRecord = Static<typeof TagCategoryRecord>

/** A tag as administrators see it. */
export const TagRecord = Shared('TagRecord', {
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  tag_category_name: Type.String(),
  weight: Type.Integer(),
  created_at: Time,
})
export type TagRecord = Static<typeof TagRecord>

export const TagCategoryQuery = Type.Object(listingQuery(['weight', 'id', 'name']))
export type TagCategoryQuery = Static<typeof TagCategoryQuery>

export const TagQuery = Type.Object({
  ...listingQuery(['id', 'weight', 'name']),
  tag_category_id: Type.Optional(Id),
})
export type TagQuery = Static<typeof TagQuery>

const weight = Type.Optional(Int(-1_000_000, 1_000_000, { description: 'The heavier comes first' }))

/** What a category of tags is made of. */
export const NewTagCategory = Shared('NewTagCategory', { name: Text(50), weight })
export type NewTagCategory = Static<typeof NewTagCategory>

/** What a tag is made of; its name has at most ten characters (feeds-31). */
export const NewTag = Shared('NewTag', { name: Text(10), tag_category_id: Id, weight })
export type NewTag = Static<typeof NewTag>
