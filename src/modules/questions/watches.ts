import { noBlockBetween } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { andAfterRow, type Db, limitClause } from '#platform/database'
import { Empty, routesOn, type Server, Type } from '#platform/http'
import { noSuchQuestion } from './errors.ts'
import { type QuestionRow, questionColumns } from './queries.ts'
import { ListQuery, QuestionItem, QuestionParams } from './schema.ts'
import { questionItems } from './view.ts'

/** Increments the watcher count only for a new watch. Returns false when the question does not exist. */
async function watchQuestion(sql: Db, questionId: number, userId: number): Promise<boolean> {
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

/** Decrements the watcher count only for a removed watch. Returns false when the question does not exist. */
async function unwatchQuestion(sql: Db, questionId: number, userId: number): Promise<boolean> {
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

const listWatched = (
  sql: Db,
  userId: number,
  { limit = 20, ...page }: { limit?: number; offset?: number; after?: number },
) => sql<QuestionRow[]>`
  select ${questionColumns(sql)} from (
    select question_id, id from question_watchers where user_id = ${userId} ${noBlockBetween(
      sql,
      userId,
      sql`(select case when q.anonymity then 0 else q.user_id end from questions q where q.id = question_id)`,
    )}
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

export function watchRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Questions' })

  route('GET /user/question-watches', {
    operationId: 'listWatchedQuestions',
    summary: 'List questions I watch, latest watched first',
    access: 'user',
    query: ListQuery,
    reply: { 200: Type.Array(QuestionItem) },
    handler: async ({ query, viewer }) =>
      questionItems(ctx, await listWatched(sql, viewer.id, query), viewer.id),
  })

  route('PUT /user/question-watches/:question', {
    operationId: 'watchQuestion',
    summary: 'Watch a question',
    access: 'user',
    params: QuestionParams,
    reply: { 204: Empty },
    errors: [noSuchQuestion],
    handler: async ({ params, viewer }) => {
      if (!(await watchQuestion(sql, params.question, viewer.id))) throw noSuchQuestion()
    },
  })

  route('DELETE /user/question-watches/:question', {
    operationId: 'unwatchQuestion',
    summary: 'Stop watching a question',
    access: 'user',
    params: QuestionParams,
    reply: { 204: Empty },
    errors: [noSuchQuestion],
    handler: async ({ params, viewer }) => {
      if (!(await unwatchQuestion(sql, params.question, viewer.id))) throw noSuchQuestion()
    },
  })
}
