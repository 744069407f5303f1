import { Cursor, Limit, Shared, type Static, Time, Type } from '#platform/schema.ts'
import { AnswerView } from '../schema.ts'

export const CollectionQuery = Type.Object({ limit: Limit(20), after: Cursor })

/** A record of a collection; its answer has `could` only with false (questions-20). `after` of the next page is its `id`, not that of the answer. */
export const CollectionRecord = Shared('AnswerCollection', {
  id: Type.Integer(),
  user_id: Type.Integer(),
  collectible_id: Type.Integer(),
  collectible_type: Type.String(),
  created_at: Time,
  updated_at: Time,
  collectible: AnswerView,
})
export type CollectionRecord = Static<typeof CollectionRecord>
