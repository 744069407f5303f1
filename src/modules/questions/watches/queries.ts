import type { Db } from '#platform/database.ts'
import { andPastRow, partOf } from '#platform/sql.ts'
import { type QuestionRow, questionColumns } from '../queries.ts'

/** Idempotent: counts only the call that begins the watch. False when there is no such question. */
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

/** Idempotent: counts only the call that ends the watch. False when there is no such question. */
export async function unwatchQuestion(sql: Db, questionId: number, userId: number): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`
    with target as (select id from questions where id = ${questionId} for no key update),
    gone as (
      delete from question_watchers w using target t where w.question_id = t.id and w.user_id = ${userId}
      returning w.question_id
    ),
    counted as (
      update questions set watchers_count = watchers_count - 1 where id in (select question_id from gone)
    )
    select exists (select from target) as found`
  return row.found
}

/** What a person watches, last watched first. */
export const listWatched = (
  sql: Db,
  userId: number,
  { limit = 20, ...page }: { limit?: number; offset?: number; after?: number },
) => sql<QuestionRow[]>`
  select ${questionColumns(sql)} from (
    select question_id, id from question_watchers where user_id = ${userId}
      ${andPastRow(
        sql,
        page.after,
        sql`id`,
        sql`select id
          from question_watchers where user_id = ${userId} and question_id = ${page.after ?? 0}`,
      )}
    order by id desc ${partOf(sql, { limit, ...page })}
  ) w join questions q on q.id = w.question_id order by w.id desc`

export const isWatched = async (sql: Db, questionId: number, userId: number): Promise<boolean> =>
  userId > 0 &&
  (await sql`select from question_watchers where user_id = ${userId} and question_id = ${questionId}`)
    .length > 0
