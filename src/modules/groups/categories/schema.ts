import { Id, Shared, type Static, Time, Type } from '#platform/http'

export const GroupCategoryParams = Type.Object({ category: Id })

export const GroupCategory = Shared('GroupCategory', {
  id: Type.Integer(),
  name: Type.String(),
  sort_by: Type.Integer(),
  status: Type.Integer({ description: '0 in use, 1 hidden' }),
  created_at: Time,
  updated_at: Time,
})
export type GroupCategory = Static<typeof GroupCategory>
