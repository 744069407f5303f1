import { countForPeople } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database.ts'
import { type AnswerRow, answerColumns } from '../queries.ts'
import type { AnswersQuery } from './schema.ts'

export type AnswerDraft = {
  questionId: number
  userId: number
  body: string
  textBody: string | null
  anonymity: boolean
}

/** Writes an answer to a locked question and counts it. The first answer of who was invited is the invited one. */
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
      ${countForPeople(sql, ['answers_count'], sql`select user_id, 1 as answers_count from a`)}
    )
    select ${answerColumns(sql)} from a cross join q`
  return row
}

/** The answers of a question that stand in no place of their own: neither adopted nor, where that pays, invited. */
export const listAnswers = (
  sql: Db,
  question: { id: number; automaticity: boolean },
  { limit = 20, offset = 0, order_type: order }: AnswersQuery,
) => sql<AnswerRow[]>`
  select ${answerColumns(sql)} from answers a join questions q on q.id = a.question_id
  where a.question_id = ${question.id} and not a.adoption ${question.automaticity ? sql`and not a.invited` : sql``}
  order by ${order === 'time' ? sql`a.id desc` : sql`a.likes_count desc, a.id desc`}
  limit ${limit} offset ${offset}`

/** An answer with its question, both locked until the end of the transaction, the question first. */
export async function lockAnswer(sql: Db, id: number): Promise<AnswerRow | undefined> {
  const held = await sql`
    select q.id from questions q where q.id = (select question_id from answers where id = ${id}) for update`
  if (held.length === 0) return undefined
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

/** The likes of an answer that becomes anonymous no longer rank its author, and those of one that is named again do. */
const moveLikes = (sql: Db, anonymity: boolean) => sql`,
  ranked as (
    insert into question_people as x (user_id, likes_count)
    select user_id, ${anonymity ? sql`0` : sql`likes_count`} from held
    where anonymity <> ${anonymity} and likes_count > 0
    on conflict (user_id) do update set likes_count = x.likes_count
      ${anonymity ? sql`-` : sql`+`} (select h.likes_count from held h)
  )`

/** Changes the fields that are given of an answer that is not adopted; false when it is. */
export async function updateAnswer(sql: Db, id: number, changes: AnswerChanges): Promise<boolean> {
  const { body, textBody, anonymity } = changes
  const [row] = await sql<[{ changed: boolean }]>`
    with held as (
      select id, user_id, anonymity, likes_count from answers where id = ${id} and not adoption for update
    ),
    changed as (
      update answers a set updated_at = now()
        ${body === undefined ? sql`` : sql`, body = ${body}`}
        ${textBody === undefined ? sql`` : sql`, text_body = ${textBody}`}
        ${anonymity === undefined ? sql`` : sql`, anonymity = ${anonymity}`}
      from held h where a.id = h.id
    )
    ${anonymity === undefined ? sql`` : moveLikes(sql, anonymity)}
    select exists (select from held) as changed`
  return row.changed
}

/** Deletes a locked answer, out of the counts of its question and its author. */
export const deleteAnswerRow = (sql: Db, id: number) => sql`
  with gone as (delete from answers where id = ${id} returning question_id, user_id, anonymity, likes_count),
  ranked as (
    update question_people x set likes_count = x.likes_count - g.likes_count
    from gone g where x.user_id = g.user_id and not g.anonymity
  ),
  counted as (
    update questions set answers_count = answers_count - 1 where id in (select question_id from gone)
  )
  ${countForPeople(sql, ['answers_count'], sql`select user_id, -1 as answers_count from gone`)}`

/** Whether one of the answers of a question is adopted. */
export const hasAdoption = async (sql: Db, questionId: number): Promise<boolean> =>
  (await sql`select from answers where question_id = ${questionId} and adoption`).length > 0
