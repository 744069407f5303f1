import { type Area, areaColumns, areaNamed } from '#modules/areas/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { AreaQuery } from './schema.ts'

/** A page of areas, of all or of one above. */
export function listAreaRecords(sql: Db, query: AreaQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, pid } = query
  const inside =
    pid === undefined ? sql`` : pid === 0 ? sql`and a.parent_id is null` : sql`and a.parent_id = ${pid}`
  const where = sql`where true ${areaNamed(sql, q)} ${inside}`
  const by = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<Area>(
    sql`select ${areaColumns(sql)} from areas a ${where}
      order by ${sort === 'name' ? sql`a.name_key ${by},` : sql``} a.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from areas a ${where}`,
  )
}
