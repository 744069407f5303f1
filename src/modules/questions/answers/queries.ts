import type { Target } from '#contracts/content.ts'
import { recordPeriodChange } from '#contracts/period-sums.ts'
import { updateUserCounters } from '#modules/accounts/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  ifGiven,
  limitClause,
  type Tables,
  when,
} from '#platform/database'
import { ANSWERS_GIVEN, idsOf } from '../queries.ts'
import type { AnswersQuery, UserAnswersQuery } from './schema.ts'

export type AnswerRow = Tables['answers'] & {
  /** The asker, and whether other users pay to view the answer. */
  asker_id: Tables['questions']['user_id']
  look: Tables['questions']['look']
}

/** Columns of a row of `answers a join questions q on q.id = a.question_id`. */
const answerColumns = (sql: Db) => sql`
  a.id, a.question_id, a.user_id, a.body, a.text_body, a.anonymity, a.adoption, a.invited, a.comments_count,
  a.rewards_amount, a.rewarder_count, a.likes_count, a.views_count, a.onlookers_count, a.onlookers_total, a.created_at,
  a.updated_at, q.user_id as asker_id, q.look`

/** Finds answers by id, unordered. */
export const findAnswerRows = (sql: Db, ids: number[]) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id where a.id = any(${ids})`

export const findAnswerRow = async (sql: Db, id: number): Promise<AnswerRow | undefined> =>
  (await findAnswerRows(sql, [id]))[0]

/** Finds the newest answer of each question. */
export const listNewestAnswers = (sql: Db, questionIds: number[]) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from unnest(${questionIds}::bigint[]) as t (id)
  join questions q on q.id = t.id
  cross join lateral (select * from answers where question_id = t.id order by id desc limit 1) a`

export const findExistingAnswers = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from answers where id = any(${ids})`)

/** Filters answers down to those with text visible to the viewer: free, exempt or paid. */
export const findReadableAnswers = async (sql: Db, ids: number[], viewerId: number) =>
  idsOf(
    await sql<{ id: number }[]>`
      select a.id from answers a join questions q on q.id = a.question_id
      where a.id = any(${ids}) and (
        not (q.look and a.invited) or ${viewerId} in (a.user_id, q.user_id)
        or exists (select from answer_onlookers o where o.answer_id = a.id and o.user_id = ${viewerId}))`,
  )

export const findAnonymousAnswers = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from answers where id = any(${ids}) and anonymity`)

/** Maximum length of an answer quoted in a notification or report. */
const QUOTED = 100

/**
 * The answer as a target of comments, likes, collections, rewards and reports. Its text is not quoted to
 * users who would have to pay for it.
 */
export async function findAnswerTarget(sql: Db, id: number, viewerId: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select a.id, a.user_id as "ownerId", a.anonymity as hidden,
      case when q.look and a.invited and ${viewerId} not in (a.user_id, q.user_id) then q.subject
        else left(a.body, ${QUOTED}::int) end as contents
    from answers a join questions q on q.id = a.question_id where a.id = ${id}`
  return row
}

/** Lists the answers of a question without the adopted one and, when it is paid, the invited one. */
export const listAnswers = (
  sql: Db,
  question: { id: number; automaticity: boolean },
  { limit = 20, offset, after = 0, order_type: order }: AnswersQuery,
) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.question_id = ${question.id} and not a.adoption ${when(sql, question.automaticity, () => sql`and not a.invited`)}
    ${
      order === 'time'
        ? andAfterCursor(sql, sql`a.id`, after)
        : andAfterRow(
            sql,
            after,
            sql`a.likes_count, a.id`,
            sql`select likes_count, id from answers where id = ${after}`,
          )
    }
  order by ${order === 'time' ? sql`a.id desc` : sql`a.likes_count desc, a.id desc`}
  ${limitClause(sql, { limit, offset, after })}`

/** Lists the answers of a user, newest first. Only the author sees anonymous ones. */
export const listAnswersByAuthor = (
  sql: Db,
  userId: number,
  { type = 'all', limit = 15, after = 0 }: UserAnswersQuery,
  { own }: { own: boolean },
) => {
  const filter = {
    all: sql``,
    adoption: sql`and a.adoption`,
    invitation: sql`and a.invited`,
    other: sql`and not a.adoption and not a.invited`,
  }[type]
  return sql<AnswerRow[]>`
    select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
    where a.user_id = ${userId} ${when(sql, !own, () => sql`and not a.anonymity`)} ${filter}
      ${when(sql, after > 0, () => sql`and a.id < ${after}`)}
    order by a.id desc limit ${limit}`
}

/**
 * Lists the answers shown separately on a question's page: invited ones, the adopted one, and the viewer's
 * newest.
 */
export const listSpecialAnswers = (sql: Db, questionId: number, viewerId: number) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.question_id = ${questionId} and (a.invited or a.adoption)
  union all
  (select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
    where a.question_id = ${questionId} and a.user_id = ${viewerId} and not a.invited and not a.adoption
    order by a.id desc limit 1)
  order by id`

export const listAnswerIds = async (sql: Db, questionId: number): Promise<number[]> =>
  (
    await sql<
      { id: number }[]
    >`select id from answers where question_id = ${questionId} order by id for update`
  ).map(({ id }) => id)

export const listAdoptedIds = async (sql: Db, questionId: number): Promise<number[]> =>
  (await sql<{ id: number }[]>`select id from answers where question_id = ${questionId} and adoption`).map(
    ({ id }) => id,
  )

/** True when an answer of the question is adopted. */
export const hasAdoption = async (sql: Db, questionId: number): Promise<boolean> =>
  (await sql`select from answers where question_id = ${questionId} and adoption`).length > 0

export type AnswerDraft = {
  questionId: number
  userId: number
  body: string
  textBody: string | null
  anonymity: boolean
}

/**
 * Inserts an answer to a locked question and counts it, for its author unless anonymous. The first answer of
 * an invited user is the invited one.
 */
export async function insertAnswer(sql: Db, draft: AnswerDraft): Promise<AnswerRow> {
  const { questionId, userId } = draft
  const [row] = await sql<[AnswerRow]>`
    with a as (
      insert into answers (question_id, user_id, body, text_body, anonymity, invited)
      select ${questionId}, ${userId}, ${draft.body}, ${draft.textBody}, ${draft.anonymity},
        exists (select from question_invitations where question_id = ${questionId} and user_id = ${userId})
          and not exists (select from answers where question_id = ${questionId} and user_id = ${userId} and invited)
      returning *
    ),
    q as (update questions set answers_count = answers_count + 1 where id = ${questionId} returning user_id, look),
    counted as (
      ${updateUserCounters(sql, ['answers_count'], sql`select user_id, 1 as answers_count from a where not anonymity`)}
    ),
    summed as (
      ${recordPeriodChange(sql, ANSWERS_GIVEN, sql`select user_id, created_at as made_at, 1 as by from a where not anonymity`)}
    )
    select ${answerColumns(sql)} from a cross join q`
  return row
}

/** Finds an answer with its question and locks both until the transaction ends, the question first. */
export async function lockAnswer(sql: Db, id: number): Promise<AnswerRow | undefined> {
  await sql`select from questions where id = (select question_id from answers where id = ${id}) for update`
  const [row] = await sql<AnswerRow[]>`
    select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
    where a.id = ${id} for update of a`
  return row
}

export type AnswerChanges = {
  body?: string | undefined
  textBody?: string | null | undefined
  anonymity?: boolean | undefined
}

/**
 * Removes an answer that becomes anonymous, and its likes, from its author's counts, and adds them back when
 * it becomes named.
 */
const moveCounts = (sql: Db, anonymity: boolean) => sql`,
  ranked as (
    insert into question_people as x (user_id, likes_count)
    select user_id, ${anonymity ? sql`0` : sql`likes_count`} from held
    where anonymity <> ${anonymity} and likes_count > 0
    on conflict (user_id) do update set likes_count = x.likes_count
      ${anonymity ? sql`-` : sql`+`} (select h.likes_count from held h)
  ),
  counted as (
    ${updateUserCounters(
      sql,
      ['answers_count'],
      sql`select user_id, ${anonymity ? -1 : 1}::int as answers_count from held where anonymity <> ${anonymity}`,
    )}
  ),
  summed as (
    ${recordPeriodChange(
      sql,
      ANSWERS_GIVEN,
      sql`
        select user_id, created_at as made_at, ${anonymity ? -1 : 1}::int as by from held where anonymity <> ${anonymity}`,
    )}
  )`

/**
 * Updates the given fields of an answer and returns whether it was named before. Returns undefined when it is
 * adopted.
 */
export async function updateAnswer(
  sql: Db,
  id: number,
  changes: AnswerChanges,
): Promise<{ wasNamed: boolean } | undefined> {
  const { body, textBody, anonymity } = changes
  const [row] = await sql<{ wasNamed: boolean }[]>`
    with held as (
      select id, user_id, anonymity, likes_count, created_at from answers where id = ${id} and not adoption for update
    ),
    changed as (
      update answers a set updated_at = now()
        ${ifGiven(sql, body, (value) => sql`, body = ${value}`)}
        ${ifGiven(sql, textBody, (value) => sql`, text_body = ${value}`)}
        ${ifGiven(sql, anonymity, (value) => sql`, anonymity = ${value}`)}
      from held h where a.id = h.id
    )
    ${ifGiven(sql, anonymity, (value) => moveCounts(sql, value))}
    select not anonymity as "wasNamed" from held`
  return row
}

/**
 * Adopts an answer of an open question, which becomes solved. Returns false when the question is not open.
 */
export async function adoptAnswer(sql: Db, questionId: number, answerId: number): Promise<boolean> {
  const [row] = await sql<[{ adopted: boolean }]>`
    with solved as (
      update questions set status = 1, updated_at = now() where id = ${questionId} and status = 0 returning id
    ),
    adopted as (
      update answers a set adoption = true, updated_at = now() from solved s
      where a.id = ${answerId} and a.question_id = s.id
    )
    select exists (select from solved) as adopted`
  return row.adopted
}

/** Deletes a locked answer and lowers the counts of its question and author. */
export const deleteAnswerRow = (sql: Db, id: number) => sql`
  with gone as (
    delete from answers where id = ${id} returning question_id, user_id, anonymity, likes_count, created_at
  ),
  unsummed as (
    ${recordPeriodChange(sql, ANSWERS_GIVEN, sql`select user_id, created_at as made_at, -1 as by from gone where not anonymity`)}
  ),
  ranked as (
    update question_people x set likes_count = greatest(x.likes_count - g.likes_count, 0)
    from gone g where x.user_id = g.user_id and not g.anonymity
  ),
  counted as (
    update questions set answers_count = greatest(answers_count - 1, 0) where id in (select question_id from gone)
  )
  ${updateUserCounters(sql, ['answers_count'], sql`select user_id, -1 as answers_count from gone where not anonymity`)}`
