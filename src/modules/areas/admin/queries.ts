import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import { areaColumns, areaNamed } from '../queries.ts'
import type { Area } from '../schema.ts'
import type { AreaQuery } from './schema.ts'

/** A page of areas, of all or of one above. */
export function listAreaRecords(sql: Db, query: AreaQuery) {
  const inside = ifGiven(sql, query.pid, (pid) =>
    pid === 0 ? sql`and a.parent_id is null` : sql`and a.parent_id = ${pid}`,
  )
  const where = sql`where true ${areaNamed(sql, query.q)} ${inside}`
  const by = query.sort === 'name' ? sql`a.name_key` : undefined
  return pageOf<Area>(
    sql,
    sql`
      select ${areaColumns(sql)} from areas a ${where}
      ${listingAt(sql, query, { id: sql`a.id`, by, from: sql`areas a` })}`,
    sql`select count(*)::int as total from areas a ${where}`,
  )
}
