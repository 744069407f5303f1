import { EXCERPT_LENGTH, type Target } from '#contracts/content.ts'
import { recordPeriodChange } from '#contracts/period-sums.ts'
import { viewsIn } from '#contracts/views.ts'
import { plainText } from '#lib/markup/parse.ts'
import { LikeWithUser } from '#modules/likes/index.ts'
import { Reward } from '#modules/rewards/index.ts'
import { noBlockBetween, updateUserCounters } from '#modules/users/index.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  type Fragment,
  ifGiven,
  limitClause,
  type Tables,
  when,
} from '#platform/database'
import { Cursor, Flag, Id, Limit, Nullable, OneOf, Shared, type Static, Type } from '#platform/http'
import { ANSWER_VIEWS, ANSWERS_GIVEN, idsOf, notBlockedUnlessHidden, shownUnlessHidden } from '../queries.ts'
import { AnswerView, Excerpt, ListQuery, Markdown, QuestionView } from '../schema.ts'

export const NewAnswer = Shared('NewAnswer', {
  body: Markdown({ minLength: 1 }),
  text_body: Excerpt,
  anonymity: Type.Optional(Flag()),
})
export type NewAnswer = Static<typeof NewAnswer>

export const AnswerPatch = Type.Partial(NewAnswer, { title: 'AnswerPatch' })
export type AnswerPatch = Static<typeof AnswerPatch>

export const AnswerMade = Shared('AnswerMade', {
  message: Type.Array(Type.String()),
  answer: AnswerView,
})

/** `default` sorts by likes, `time` by creation, both descending. */
export const AnswersQuery = Type.Object({
  ...ListQuery.properties,
  order_type: Type.Optional(OneOf(['default', 'time'] as const, { default: 'default' })),
})
export type AnswersQuery = Static<typeof AnswersQuery>

export const AnswerDetail = Shared('AnswerDetail', {
  ...AnswerView.properties,
  likes: Type.Array(LikeWithUser),
  rewarders: Type.Array(Reward),
  question: Shared('AnsweredQuestion', { ...QuestionView.properties, has_adoption: Type.Boolean() }),
})
export type AnswerDetail = Static<typeof AnswerDetail>

export const UserAnswersQuery = Type.Object({
  limit: Limit(15),
  after: Cursor,
  user_id: Type.Optional(Id),
  type: Type.Optional(OneOf(['all', 'adoption', 'invitation', 'other'] as const, { default: 'all' })),
})
export type UserAnswersQuery = Static<typeof UserAnswersQuery>

export const UserAnswer = Shared('UserAnswer', {
  ...AnswerView.properties,
  question: Nullable(QuestionView),
})

export type AnswerRow = Tables['answers'] & {
  asker_id: Tables['questions']['user_id']
  look: Tables['questions']['look']
}

const answerColumns = (sql: Db) => sql`
  a.id, a.question_id, a.user_id, a.body, a.text_body, a.anonymity, a.adoption, a.invited, a.comments_count,
  a.rewards_amount, a.rewarder_count, a.likes_count,
  a.views_count + ${viewsIn(sql, ANSWER_VIEWS, sql`a.id`)} as views_count, a.onlookers_count, a.onlookers_total, a.created_at,
  a.updated_at, q.user_id as asker_id, q.look`

/** With `hideFrom`, omits answers of people hidden from this user (relations-2). */
export const findAnswerRows = (sql: Db, ids: number[], hideFrom = 0) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.id = any(${ids}) ${notBlockedUnlessHidden(sql, hideFrom, sql`a`)}`

export const findAnswerRow = async (sql: Db, id: number): Promise<AnswerRow | undefined> =>
  (await findAnswerRows(sql, [id]))[0]

export const listNewestAnswers = (sql: Db, questionIds: number[]) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from unnest(${questionIds}::bigint[]) as t (id)
  join questions q on q.id = t.id
  cross join lateral (select * from answers where question_id = t.id order by id desc limit 1) a`

export const findExistingAnswers = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from answers where id = any(${ids})`)

/** Filters `ids` to answers whose text the viewer may read without another payment. */
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

/** Characters of Markdown that are read for an excerpt. */
const EXCERPT_SOURCE = 2000

/** The excerpt of a paid answer is the question's subject, except for the asker and the answer's author. */
export async function findAnswerTarget(sql: Db, id: number, viewerId: number): Promise<Target | undefined> {
  const [row] = await sql<(Omit<Target, 'contents'> & { subject: string | null; body: string })[]>`
    select a.id, a.user_id as "ownerId", a.anonymity as hidden, left(a.body, ${EXCERPT_SOURCE}::int) as body,
      case when q.look and a.invited and ${viewerId} not in (a.user_id, q.user_id) then q.subject end as subject
    from answers a join questions q on q.id = a.question_id where a.id = ${id}`
  if (!row) return undefined
  const { subject, body, ...target } = row
  return { ...target, contents: subject ?? plainText(body, EXCERPT_LENGTH) }
}

/** Lists answers except the adopted answer and, with an automatic bounty, the invited answer. */
export const listAnswers = (
  sql: Db,
  question: { id: number; automaticity: boolean },
  { limit = 20, offset, after = 0, order_type: order }: AnswersQuery,
  viewerId: number,
) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.question_id = ${question.id} and not a.adoption ${when(sql, question.automaticity, () => sql`and not a.invited`)}
    ${shownUnlessHidden(sql, viewerId, sql`a`)}
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

/** Condition on collection `c` that omits answers of people hidden from the user (relations-2). */
export const seenAnswers = (sql: Db, userId: number): Fragment =>
  noBlockBetween(
    sql,
    userId,
    sql`(select case when a.anonymity then 0 else a.user_id end from answers a where a.id = c.collectible_id)`,
  )

/** Lists a user's answers. Only the author sees anonymous ones. */
export const listAnswersByAuthor = (
  sql: Db,
  userId: number,
  { type = 'all', limit = 15, after = 0 }: UserAnswersQuery,
  { own, viewerId }: { own: boolean; viewerId: number },
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
      ${when(sql, after > 0, () => sql`and a.id < ${after}`)} ${notBlockedUnlessHidden(sql, viewerId, sql`a`)}
    order by a.id desc limit ${limit}`
}

/** Lists the invited and adopted answers and the viewer's newest other answer. */
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
 * Inserts an answer. Callers must lock the row of the question first. The first answer of an invited user
 * becomes an invited answer.
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

/** Locks the question before the answer, as a question's deletion does, to prevent a deadlock. */
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
 * Subtracts an answer from the author's counts when it becomes anonymous, and adds it when its anonymity
 * ends.
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

/** Returns whether the author was public before the update, or undefined for an adopted or deleted answer. */
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

/** Returns false when the question is not open. */
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

/** Returns false when the user already paid or the answer is deleted. */
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

export async function findPaidViews(sql: Db, answerIds: number[], userId: number): Promise<Set<number>> {
  if (userId === 0 || answerIds.length === 0) return new Set()
  const rows = await sql<{ answer_id: number }[]>`
    select answer_id from answer_onlookers where answer_id = any(${answerIds}) and user_id = ${userId}`
  return new Set(rows.map((row) => row.answer_id))
}
