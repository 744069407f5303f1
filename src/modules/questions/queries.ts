import type { Target } from '#contracts/content.ts'
import { recordPeriodChange } from '#contracts/period-sums.ts'
import { type ViewTable, viewsIn } from '#contracts/views.ts'
import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import { noBlockBetween, shownTo, updateUserCounters } from '#modules/users/index.ts'
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
import type { QuestionsQuery, UserQuestionsQuery } from './schema.ts'

export const insertInvitations = (sql: Db, questionId: number, userIds: number[]) => sql`
  insert into question_invitations (question_id, user_id)
  select ${questionId}, id from unnest(${userIds}::bigint[]) as t (id)`

export const hasInvitations = async (sql: Db, questionId: number): Promise<boolean> =>
  (await sql`select from question_invitations where question_id = ${questionId} limit 1`).length > 0

export const listInvitedIds = async (sql: Db, questionId: number): Promise<number[]> =>
  (
    await sql<{ user_id: number }[]>`
      select user_id from question_invitations where question_id = ${questionId} order by user_id`
  ).map((row) => row.user_id)

export const ANSWERS_GIVEN = 'answers-given'

export type QuestionRow = Omit<Tables['questions'], 'subject_key' | 'subject_grams'> & {
  bounty: 'none' | 'held' | 'paid'
}

export const QUESTION_VIEWS: ViewTable = { table: 'question_views', key: 'question_id', content: 'questions' }
export const ANSWER_VIEWS: ViewTable = { table: 'answer_views', key: 'answer_id', content: 'answers' }

export const allQuestionViews = (sql: Db) => sql`q.views_count + ${viewsIn(sql, QUESTION_VIEWS, sql`q.id`)}`

export const questionColumns = (sql: Db) => sql`
  q.id, q.user_id, q.subject, q.body, q.text_body, q.anonymity, q.amount, q.bounty, q.automaticity, q.look, q.excellent,
  q.status, q.comments_count, q.answers_count, q.watchers_count, q.likes_count, ${allQuestionViews(sql)} as views_count, q.created_at,
  q.updated_at`

/** With `hideFrom`, omits questions of people hidden from this user (relations-2). */
export const findQuestionRows = (sql: Db, ids: number[], hideFrom = 0) => sql<QuestionRow[]>`
  select ${questionColumns(sql)} from questions q
  where q.id = any(${ids}) ${notBlockedUnlessHidden(sql, hideFrom, sql`q`)}`

export const findQuestionRow = async (sql: Db, id: number): Promise<QuestionRow | undefined> =>
  (await findQuestionRows(sql, [id]))[0]

export const idsOf = (rows: { id: number }[]) => new Set(rows.map(({ id }) => id))

export const findExistingQuestions = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from questions where id = any(${ids})`)

export const findAnonymousQuestions = async (sql: Db, ids: number[]) =>
  idsOf(await sql<{ id: number }[]>`select id from questions where id = any(${ids}) and anonymity`)

export async function findQuestionTarget(sql: Db, id: number): Promise<Target | undefined> {
  const [row] = await sql<Target[]>`
    select id, user_id as "ownerId", subject as contents, anonymity as hidden from questions where id = ${id}`
  return row
}

export const subjectContains = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and q.subject_grams @> ${gramsOfQuery(key)} and q.subject_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Keeps anonymous texts, because a gap in the list would reveal their author (questions-16). */
export const notBlockedUnlessHidden = (sql: Db, viewerId: number, text: Fragment): Fragment =>
  noBlockBetween(sql, viewerId, sql`case when ${text}.anonymity then 0 else ${text}.user_id end`)

/** Also omits people whom the viewer mutes. */
export const shownUnlessHidden = (sql: Db, viewerId: number, text: Fragment): Fragment =>
  shownTo(sql, viewerId, sql`case when ${text}.anonymity then 0 else ${text}.user_id end`)

const filters = (sql: Db, viewerId: number): Record<NonNullable<QuestionsQuery['type']>, Fragment> => ({
  all: sql``,
  new: sql`and q.answers_count = 0`,
  hot: sql`and q.created_at > now() - interval '1 month'`,
  reward: sql`and q.amount > 0`,
  excellent: sql`and q.excellent`,
  follow: sql`and q.id in (select question_id from question_watchers where user_id = ${viewerId})`,
})

export const listQuestions = (
  sql: Db,
  viewerId: number,
  { type = 'new', subject, id, limit = 20, offset, after = 0 }: QuestionsQuery,
  topicId?: number,
) => {
  // Sorts by a column of the joined link or watch table, so that PostgreSQL reads only one page of its index.
  const isWatched = topicId === undefined && id === undefined && type === 'follow'
  const key = topicId !== undefined ? sql`l.question_id` : isWatched ? sql`w.question_id` : sql`q.id`
  const [source, scope] =
    topicId !== undefined
      ? [sql`question_topic_links l join questions q on q.id = l.question_id`, sql`l.topic_id = ${topicId}`]
      : isWatched
        ? [sql`question_watchers w join questions q on q.id = w.question_id`, sql`w.user_id = ${viewerId}`]
        : [sql`questions q`, sql`true`]
  const last = sql`select answers_count, id from questions where id = ${after}`
  return sql<QuestionRow[]>`
  select ${questionColumns(sql)}
  from ${source}
  where ${scope}
    ${id === undefined && !isWatched ? filters(sql, viewerId)[type] : ifGiven(sql, id, (ids) => sql`and q.id = any(${ids})`)} ${subjectContains(sql, subject)}
    ${type === 'hot' ? andAfterRow(sql, after, sql`q.answers_count, ${key}`, last) : andAfterCursor(sql, key, after)}
    ${shownUnlessHidden(sql, viewerId, sql`q`)}
  order by ${when(sql, type === 'hot', () => sql`q.answers_count desc,`)} ${key} desc
  ${limitClause(sql, { limit, offset, after })}`
}

/** Lists a user's questions. Only the author sees anonymous ones. */
export const listQuestionsOf = (
  sql: Db,
  userId: number,
  { type = 'all', limit = 15, after = 0 }: UserQuestionsQuery,
  { own, viewerId }: { own: boolean; viewerId: number },
) => {
  const invited = sql`exists (select from question_invitations i where i.question_id = q.id)`
  const filter = {
    all: sql``,
    invitation: sql`and ${invited}`,
    reward: sql`and q.amount > 0`,
    other: sql`and q.amount = 0 and not ${invited}`,
  }[type]
  return sql<QuestionRow[]>`
    select ${questionColumns(sql)} from questions q
    where q.user_id = ${userId} ${when(sql, !own, () => sql`and not q.anonymity`)} ${filter}
      ${when(sql, after > 0, () => sql`and q.id < ${after}`)} ${noBlockBetween(sql, viewerId, sql`q.user_id`)}
    order by q.id desc limit ${limit}`
}

export type QuestionDraft = {
  userId: number
  subject: string
  body: string | null
  textBody: string | null
  anonymity: boolean
  amount: number
  automaticity: boolean
  look: boolean
}

/** Inserts a question with its author as watcher. Anonymous questions do not count for the author. */
export async function insertQuestion(sql: Db, draft: QuestionDraft): Promise<QuestionRow> {
  const { userId, subject, amount } = draft
  const [row] = await sql<[QuestionRow]>`
    with q as (
      insert into questions (user_id, subject, subject_key, subject_grams, body, text_body, anonymity, amount, bounty,
        automaticity, look, watchers_count)
      values (${userId}, ${subject}, ${nameKey(subject)}, ${grams(subject)}, ${draft.body}, ${draft.textBody},
        ${draft.anonymity}, ${amount}, ${amount > 0 ? 'held' : 'none'}, ${draft.automaticity}, ${draft.look}, 1)
      returning *
    ),
    watched as (insert into question_watchers (user_id, question_id) select user_id, id from q),
    counted as (
      ${updateUserCounters(sql, ['questions_count'], sql`select user_id, 1 as questions_count from q where not anonymity`)}
    )
    select ${questionColumns(sql)} from q`
  return row
}

/** Locks a question, so that concurrent changes of it, new answers, adoptions and deletions of its answers wait. */
export async function lockQuestion(sql: Db, id: number): Promise<QuestionRow | undefined> {
  const [row] = await sql<QuestionRow[]>`
    select ${questionColumns(sql)} from questions q where q.id = ${id} for update`
  return row
}

export type QuestionChanges = {
  subject?: string | undefined
  body?: string | null | undefined
  textBody?: string | null | undefined
  anonymity?: boolean | undefined
}

/** Updates a locked question, and the author's counts when its anonymity changes. */
export const updateQuestion = (
  sql: Db,
  { id, user_id: userId, anonymity: before }: Pick<QuestionRow, 'id' | 'user_id' | 'anonymity'>,
  changes: QuestionChanges,
) => {
  const { subject, body, textBody, anonymity } = changes
  const by = anonymity === undefined || anonymity === before ? 0 : anonymity ? -1 : 1
  return sql`
    ${when(
      sql,
      by !== 0,
      () =>
        sql`with counted as (${updateUserCounters(sql, ['questions_count'], sql`select ${userId}::bigint as user_id, ${by}::int as questions_count`)})`,
    )}
    update questions set updated_at = now()
      ${ifGiven(
        sql,
        subject,
        (value) =>
          sql`, subject = ${value}, subject_key = ${nameKey(value)}, subject_grams = ${grams(value)}`,
      )}
      ${ifGiven(sql, body, (value) => sql`, body = ${value}`)}
      ${ifGiven(sql, textBody, (value) => sql`, text_body = ${value}`)}
      ${ifGiven(sql, anonymity, (value) => sql`, anonymity = ${value}`)}
    where id = ${id}`
}

export const deleteQuestionRow = (sql: Db, questionId: number) => sql`
  with gone as (
    delete from answers where question_id = ${questionId} returning user_id, anonymity, likes_count, created_at
  ),
  unsummed as (
    ${recordPeriodChange(sql, ANSWERS_GIVEN, sql`select user_id, created_at as made_at, -1 as by from gone where not anonymity`)}
  ),
  liked as (
    select user_id, sum(likes_count) as n from gone where not anonymity and likes_count > 0 group by user_id
  ),
  ranks as (
    select user_id from question_people where user_id in (select user_id from liked) order by user_id for update
  ),
  ranked as (
    update question_people x set likes_count = greatest(x.likes_count - l.n, 0) from liked l join ranks r on r.user_id = l.user_id
    where x.user_id = l.user_id
  ),
  asked as (delete from questions where id = ${questionId} returning user_id, anonymity),
  changed as (
    select user_id, -sum(asked) as questions_count, -sum(answered) as answers_count from (
      select user_id, 0 as asked, 1 as answered from gone where not anonymity
      union all select user_id, 1, 0 from asked where not anonymity
    ) c group by user_id
  )
  ${updateUserCounters(sql, ['questions_count', 'answers_count'], sql`select * from changed`, { several: true })}`

export const setExcellent = (sql: Db, questionId: number, excellent: boolean) => sql`
  update questions set excellent = ${excellent}, updated_at = now() where id = ${questionId}`

export type ApplicationRow = Tables['question_applications'] & {
  state: 'pending' | 'passed' | 'rejected' | 'cancelled'
}

export async function insertApplication(
  sql: Db,
  application: { questionId: number; userId: number; amount: number },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into question_applications (question_id, user_id, amount)
    values (${application.questionId}, ${application.userId}, ${application.amount}) returning id`
  return row.id
}

/** Cancels pending requests of a deleted question. Returns the fees to refund. */
export const cancelApplications = (sql: Db, questionId: number) => sql<{ id: number; amount: number }[]>`
  update question_applications set state = 'cancelled', decided_at = now()
  where question_id = ${questionId} and state = 'pending' returning id, amount`

export async function closeApplication(
  sql: Db,
  decision: { id: number; state: 'passed' | 'rejected'; decidedBy: number },
): Promise<ApplicationRow | undefined> {
  const [row] = await sql<ApplicationRow[]>`
    update question_applications set state = ${decision.state}, decided_by = ${decision.decidedBy}, decided_at = now()
    where id = ${decision.id} and state = 'pending' returning *`
  return row
}

export const findApplication = async (sql: Db, id: number) =>
  (await sql<ApplicationRow[]>`select * from question_applications where id = ${id}`)[0]
