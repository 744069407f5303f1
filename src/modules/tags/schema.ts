import { Cursor, Id, Limit, Offset, Shared, type Static, Type } from '#platform/schema.ts'

/** A tag that people may choose. */
export const Tag = Shared('Tag', {
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  weight: Type.Integer(),
})
export type Tag = Static<typeof Tag>

/** A category with its tags. */
export const TagCategory = Shared('TagCategory', {
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags: Type.Array(Tag),
})
export type TagCategory = Static<typeof TagCategory>

export const TagParams = Type.Object({ tag: Id })
export const OwnerParams = Type.Object({ user: Id })
export const PeopleQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })
