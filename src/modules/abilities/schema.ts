import { Type } from '#platform/schema.ts'

/** Something a person may do. */
export const AbilityView = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
})
