import { grams, nameKey } from '#lib/text.ts'
import { countForPeople } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { type QuestionRow, questionColumns } from '../queries.ts'

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

/** Writes a question that its author watches, and counts it; the bounty is held from here on. */
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
      ${countForPeople(sql, ['questions_count'], sql`select user_id, 1 as questions_count from q`)}
    )
    select ${questionColumns(sql)} from q`
  return row
}

/** Puts a question into topics and counts it there; answers how many of the topics exist. */
export async function linkTopics(sql: Db, questionId: number, topicIds: number[]): Promise<number> {
  const [row] = await sql<[{ found: number }]>`
    with topic as (select id from question_topics where id = any(${topicIds}) order by id for key share),
    link as (
      insert into question_topic_links (topic_id, question_id) select id, ${questionId} from topic
      on conflict do nothing returning topic_id
    ),
    held as (
      select topic_id from question_topic_counts where topic_id in (select topic_id from link)
      order by topic_id for update
    ),
    counted as (
      update question_topic_counts c set questions_count = c.questions_count + 1 from held h
      where c.topic_id = h.topic_id
    )
    select count(*)::int as found from topic`
  return row.found
}

/** Takes a question out of its topics, except those to be kept. */
export async function unlinkTopics(sql: Db, questionId: number, except: number[] = []): Promise<void> {
  await sql`
    with gone as (
      delete from question_topic_links where question_id = ${questionId} and topic_id <> all(${except})
      returning topic_id
    ),
    held as (
      select topic_id from question_topic_counts where topic_id in (select topic_id from gone)
      order by topic_id for update
    )
    update question_topic_counts c set questions_count = c.questions_count - 1 from held h
    where c.topic_id = h.topic_id`
}

export const insertInvitations = (sql: Db, questionId: number, userIds: number[]) => sql`
  insert into question_invitations (question_id, user_id)
  select ${questionId}, id from unnest(${userIds}::bigint[]) as t (id)`

/** Which of these people have an account that is not disabled. */
export async function findPeople(sql: Db, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where id = any(${ids}) and deleted_at is null`
  return rows.map(({ id }) => id)
}

/**
 * A question as it is, locked until the end of the transaction. Answering, adopting, paying, changing and deleting all
 * begin with this lock, so that one of them decides after the other.
 */
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

/** Changes the fields that are given. */
export const updateQuestion = (sql: Db, id: number, changes: QuestionChanges) => {
  const { subject, body, textBody, anonymity } = changes
  return sql`
    update questions set updated_at = now()
      ${
        subject === undefined
          ? sql``
          : sql`, subject = ${subject}, subject_key = ${nameKey(subject)}, subject_grams = ${grams(subject)}`
      }
      ${body === undefined ? sql`` : sql`, body = ${body}`}
      ${textBody === undefined ? sql`` : sql`, text_body = ${textBody}`}
      ${anonymity === undefined ? sql`` : sql`, anonymity = ${anonymity}`}
    where id = ${id}`
}

export const hasInvitations = async (sql: Db, questionId: number): Promise<boolean> =>
  (await sql`select from question_invitations where question_id = ${questionId} limit 1`).length > 0

/** The bounty of a locked question, held from here on. */
export const setBounty = (sql: Db, questionId: number, amount: number) => sql`
  update questions set amount = ${amount}, bounty = 'held', updated_at = now() where id = ${questionId}`

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

/** Deletes a locked question with its answers, watchers and invitations, out of everybody's counts. */
export const deleteQuestionRow = (sql: Db, questionId: number) => sql`
  with gone as (
    delete from answers where question_id = ${questionId} returning user_id, anonymity, likes_count
  ),
  liked as (
    select user_id, sum(likes_count) as n from gone where not anonymity and likes_count > 0 group by user_id
  ),
  ranks as (
    select user_id from question_people where user_id in (select user_id from liked) order by user_id for update
  ),
  ranked as (
    update question_people x set likes_count = x.likes_count - l.n from liked l join ranks r on r.user_id = l.user_id
    where x.user_id = l.user_id
  ),
  asked as (delete from questions where id = ${questionId} returning user_id),
  changed as (
    select user_id, -sum(asked) as questions_count, -sum(answered) as answers_count from (
      select user_id, 0 as asked, 1 as answered from gone union all select user_id, 1, 0 from asked
    ) c group by user_id
  )
  ${countForPeople(sql, ['questions_count', 'answers_count'], sql`select * from changed`, { several: true })}`
