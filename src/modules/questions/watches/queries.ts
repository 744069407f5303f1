import { andAfterRow, type Db, limitClause } from '#platform/database'
import { type QuestionRow, questionColumns } from '../queries.ts'

/**
 * Watches a question. Idempotent: counts only a new watch. Returns false when the question does not exist.
 */
export async function watchQuestion(sql: Db, questionId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from questions where id = ${questionId} for no key update),
    made as (
      insert into question_watchers (user_id, question_id) select ${userId}::bigint, id from target
      on conflict do nothing returning question_id
    ),
    counted as (
      update questions set watchers_count = watchers_count + 1 where id in (select question_id from made)
    )
    select exists (select from target) as found`
  return row.found
}

/**
 * Unwatches a question. Idempotent: counts only a removed watch. Returns false when the question does not
 * exist.
 */
export async function unwatchQuestion(sql: Db, questionId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from questions where id = ${questionId} for no key update),
    gone as (
      delete from question_watchers w using target t where w.question_id = t.id and w.user_id = ${userId}
      returning w.question_id
    ),
    counted as (
      update questions set watchers_count = greatest(watchers_count - 1, 0) where id in (select question_id from gone)
    )
    select exists (select from target) as found`
  return row.found
}

/** Lists the questions a user watches, last watched first. */
export const listWatched = (
  sql: Db,
  userId: number,
  { limit = 20, ...page }: { limit?: number; offset?: number; after?: number },
) => sql<QuestionRow[]>`
  select ${questionColumns(sql)} from (
    select question_id, id from question_watchers where user_id = ${userId}
      ${andAfterRow(
        sql,
        page.after,
        sql`id`,
        sql`select id
          from question_watchers where user_id = ${userId} and question_id = ${page.after ?? 0}`,
      )}
    order by id desc ${limitClause(sql, { limit, ...page })}
  ) w join questions q on q.id = w.question_id order by w.id desc`

export const isWatched = async (sql: Db, questionId: number, userId: number): Promise<boolean> =>
  userId > 0 &&
  (await sql`select from question_watchers where user_id = ${userId} and question_id = ${questionId}`)
    .length > 0
