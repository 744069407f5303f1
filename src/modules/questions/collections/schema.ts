import { Cursor, Limit, type Static, Time, Type } from '#platform/schema.ts'
import { AnswerView } from '../schema.ts'

export const CollectionQuery = Type.Object({ limit: Limit(20), after: Cursor })

/** An answer in a collection (specification 2.5): `could` is there only with false. */
const CollectedAnswer = Type.Object(AnswerView.properties)

/** A record of a collection. `after` of the next page is its `id`, not that of the answer. */
export const CollectionRecord = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  collectible_id: Type.Integer(),
  collectible_type: Type.String(),
  created_at: Time,
  updated_at: Time,
  collectible: CollectedAnswer,
})
export type CollectionRecord = Static<typeof CollectionRecord>
