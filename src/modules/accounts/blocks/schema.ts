import { Type } from '#platform/schema.ts'

/** Success body shape 1, which this operation of the original answers (R §12.4). */
export const Blocked = Type.Object({ message: Type.String() })
