import type { Db } from '#platform/database.ts'

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
