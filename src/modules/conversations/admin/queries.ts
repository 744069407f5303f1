import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import type { ConversationSearch } from './schema.ts'

export type ConversationRecordRow = {
  id: number
  type: 'system' | 'feedback'
  user_id: number
  to_user_ids: number[] | null
  content: string
  created_at: string
}

const parts = (sql: Db) => ({
  feedback: sql`
    select id, 'feedback' as type, user_id, '{}'::bigint[] as to_user_ids, content, created_at from feedback`,
  system: sql`
    select id, 'system' as type, user_id, user_ids as to_user_ids, contents as content, created_at from notices
    where status <> 'withdrawn'`,
})

/** A page of what people wrote to the site and it to them. */
export function listConversationRecords(sql: Db, search: ConversationSearch) {
  const { q, type, user_id: userId } = search
  const { feedback, system } = parts(sql)
  const from = type === undefined ? sql`${feedback} union all ${system}` : { feedback, system }[type]
  const where = sql`
    where true
      ${ifGiven(sql, userId, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, q, (part) => sql`and content ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<ConversationRecordRow>(
    sql,
    sql`select * from (${from}) as c ${where}
      ${listingAt(sql, search, { id: sql`id` })}`,
    sql`select count(*)::int as total from (${from}) as c ${where}`,
  )
}
