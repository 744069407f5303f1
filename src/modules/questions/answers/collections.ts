import { fillPage } from '#lib/lists.ts'
import { wireTime } from '#lib/time.ts'
import { type CollectionRow, listCollected } from '#modules/collections/index.ts'
import type { Context } from '#platform/context.ts'
import { Cursor, Limit, routesOn, type Server, Shared, type Static, Time, Type } from '#platform/http'
import { ANSWERS, AnswerView } from '../schema.ts'
import { seenAnswers } from './queries.ts'
import { answersById } from './view.ts'

const CollectionQuery = Type.Object({ limit: Limit(20), after: Cursor })

/**
 * `after` continues after a collection `id`, not an answer id. `could` of an answer is present only when
 * false (questions-20).
 */
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

async function recordsOf(ctx: Context, rows: CollectionRow[], userId: number): Promise<CollectionRecord[]> {
  const answers = await answersById(
    ctx,
    rows.map((row) => row.collectible_id),
    userId,
  )
  return rows.flatMap((row) => {
    const answer = answers.get(row.collectible_id)
    if (!answer) return []
    const { could, ...rest } = answer
    return [
      {
        id: row.id,
        user_id: row.user_id,
        collectible_id: row.collectible_id,
        collectible_type: row.collectible_type,
        created_at: wireTime(row.created_at),
        updated_at: wireTime(row.created_at),
        collectible: { ...rest, ...(could === false ? { could } : {}) },
      },
    ]
  })
}

export function answerCollectionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Answers' })

  route('GET /user/question-answer/collections', {
    operationId: 'listCollectedAnswers',
    summary: 'List my collected answers, latest collected first',
    access: 'user',
    query: CollectionQuery,
    reply: { 200: Type.Array(CollectionRecord) },
    // Skips collections of deleted answers.
    handler: ({ viewer, query: { limit = 20, after = 0 } }) =>
      fillPage(
        { after, limit },
        (cursor, wanted) =>
          listCollected(ctx.sql, {
            type: ANSWERS,
            userId: viewer.id,
            limit: wanted,
            after: cursor,
            seen: seenAnswers(ctx.sql, viewer.id),
          }),
        (rows) => recordsOf(ctx, rows, viewer.id),
      ),
  })
}
