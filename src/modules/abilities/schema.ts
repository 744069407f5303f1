import { Shared, Type } from '#platform/schema.ts'

/** Something a person may do. */
export const AbilityView = Shared('Ability', {
  name: Type.String(),
  display_name: Type.String(),
  description: Type.String(),
})
