import { escapeLike } from '#lib/text.ts'
import type { NoticeRow } from '#modules/notifications/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'

type Filter = {
  page?: number
  limit?: number
  sort?: string
  order?: 'asc' | 'desc'
  q?: string
  status?: string
}

const columns = (sql: Db) =>
  sql`id, user_id, contents, user_ids, status, sent, total, created_at, finished_at`

/** A page of the notices that were not withdrawn. */
export function listNotices(sql: Db, filter: Filter) {
  const { page = 1, limit = 15, sort = 'id', order = 'desc', q, status } = filter
  const where = sql`
    where status <> 'withdrawn'
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${q === undefined ? sql`` : sql`and contents ilike ${`%${escapeLike(q)}%`}`}`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<NoticeRow>(
    sql`select ${columns(sql)} from notices ${where}
      order by ${sort === 'sent' ? sql`sent ${direction},` : sql``} id ${direction}
      limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from notices ${where}`,
  )
}

export async function findNotice(sql: Db, id: number): Promise<NoticeRow | undefined> {
  const [row] = await sql<NoticeRow[]>`
    select ${columns(sql)} from notices where id = ${id} and status <> 'withdrawn'`
  return row
}
