import type { Db } from '#platform/database'

/**
 * Inserts a paid view once and counts it. Returns false when the user already paid or the answer is deleted.
 */
export async function insertPaidView(
  sql: Db,
  look: { answerId: number; userId: number; amount: number },
): Promise<boolean> {
  const [row] = await sql<[{ made: boolean }]>`
    with target as (select id from answers where id = ${look.answerId} for no key update),
    made as (
      insert into answer_onlookers (answer_id, user_id, amount)
      select id, ${look.userId}::bigint, ${look.amount}::bigint from target
      on conflict do nothing returning answer_id, amount
    ),
    counted as (
      update answers a set onlookers_count = a.onlookers_count + 1, onlookers_total = a.onlookers_total + m.amount
      from made m where a.id = m.answer_id
    )
    select exists (select from made) as made`
  return row.made
}

/** Filters the answers down to those a user paid to view. */
export async function findPaidViews(sql: Db, answerIds: number[], userId: number): Promise<Set<number>> {
  if (userId === 0 || answerIds.length === 0) return new Set()
  const rows = await sql<{ answer_id: number }[]>`
    select answer_id from answer_onlookers where answer_id = any(${answerIds}) and user_id = ${userId}`
  return new Set(rows.map((row) => row.answer_id))
}
