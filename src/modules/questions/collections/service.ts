import { wireTime } from '#lib/time.ts'
import { type CollectionRow, listCollected } from '#modules/collections/index.ts'
import type { Context } from '#platform/context.ts'
import { answersById } from '../answers/view.ts'
import { ANSWERS } from '../schema.ts'
import type { CollectionRecord } from './schema.ts'

const ROUNDS = 10

/**
 * What a person collected, newest collected first. A record whose answer is gone is left out and the page filled from
 * what follows, so that a short page still means the end.
 */
export async function listCollection(
  ctx: Context,
  userId: number,
  { limit = 20, after = 0 }: { limit?: number; after?: number },
): Promise<CollectionRecord[]> {
  const records: CollectionRecord[] = []
  let cursor = after
  for (let round = 0; round < ROUNDS && records.length < limit; round += 1) {
    const wanted = limit - records.length
    const rows = await listCollected(ctx.sql, { type: ANSWERS, userId, limit: wanted, after: cursor })
    records.push(...(await recordsOf(ctx, rows, userId)))
    if (rows.length < wanted) break
    cursor = rows.at(-1)!.id
  }
  return records
}

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
