import { updateUserCounters } from '#modules/accounts/index.ts'
import type { Db } from '#platform/database'
import { rowKey, rowsByKey } from '#transfer/row-keys.ts'

export type ImportedComment = {
  key: string
  type: string
  contentId: number
  userId: number
  targetUser: number
  replyUser: number
  body: string
  createdAt: string | null
}

/**
 * Inserts imported comments that are new and counts them per author. Returns the content ids of the inserted
 * ones by type, so that the caller updates the content counters.
 */
export async function importComments(sql: Db, given: ImportedComment[]): Promise<Map<string, number[]>> {
  if (given.length === 0) return new Map()
  const known = await sql<{ key: string }[]>`
    select key from (${rowsByKey(
      sql,
      'comments',
      given.map(({ key }) => key),
    )}) k`
  const here = new Set(known.map(({ key }) => key))
  const comments = given.filter(({ key }) => !here.has(key))
  if (comments.length === 0) return new Map()
  const column = <K extends keyof ImportedComment>(name: K) => comments.map((comment) => comment[name])
  const made = await sql<{ type: string; ids: number[] }[]>`
    with made as (
      insert into comments
        (commentable_type, commentable_id, user_id, target_user, reply_user, body, created_at, updated_at, external_id)
      select type, content_id, user_id, target_user, reply_user, body, coalesce(created_at, now()),
        coalesce(created_at, now()), key
      from unnest(${column('key')}::text[], ${column('type')}::text[], ${column('contentId')}::bigint[], ${column('userId')}::bigint[],
        ${column('targetUser')}::bigint[], ${column('replyUser')}::bigint[], ${column('body')}::text[],
        ${column('createdAt')}::timestamptz[]) with ordinality
        as c (key, type, content_id, user_id, target_user, reply_user, body, created_at, n)
      order by n
      on conflict (external_id) where external_id is not null do nothing
      returning user_id, commentable_type, commentable_id
    ),
    counted as (
      ${updateUserCounters(
        sql,
        ['comments_count'],
        sql`select user_id, count(*) as comments_count from made group by user_id`,
        { several: true },
      )}
    )
    select commentable_type as type, json_agg(commentable_id) as ids from made group by commentable_type`
  return new Map(made.map(({ type, ids }) => [type, ids]))
}

const EXPORTED = 2000

/** Comments of some types after an id, for an export. */
export const exportComments = (sql: Db, types: string[], after: number) => sql<
  {
    id: number
    key: string
    commentable_type: string
    commentable_id: number
    user_id: number
    reply_user: number
    body: string
    created_at: string
  }[]
>`
  select c.id, ${rowKey(sql, 'c')} as key, c.commentable_type, c.commentable_id, c.user_id, c.reply_user, c.body,
    c.created_at
  from comments c where c.id > ${after} and c.commentable_type = any(${types}) order by c.id limit ${EXPORTED}`
