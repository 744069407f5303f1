import { Shared, Type } from '#platform/schema.ts'

/** What blocking answers: a plain text (sign-in-16). */
export const Blocked = Shared('Blocked', { message: Type.String() })
