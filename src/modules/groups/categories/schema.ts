import { Id, Shared, type Static, Time, Type } from '#platform/schema.ts'

export const GroupCategoryParams = Type.Object({ category: Id })

/** A category of groups. */
export const GroupCategory = Shared('GroupCategory', {
  id: Type.Integer(),
  name: Type.String(),
  sort_by: Type.Integer(),
  status: Type.Integer({ description: '0 in use, 1 hidden' }),
  created_at: Time,
  updated_at: Time,
})
export type GroupCategory = Static<typeof GroupCategory>
