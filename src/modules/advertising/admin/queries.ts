import { escapeLike } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '#platform/listing.ts'
import { ifGiven, listingAt } from '#platform/sql.ts'
import { type AdvertisementRow, advertisementColumns } from '../queries.ts'
import type { AdvertisementQuery } from './schema.ts'

/** A page of all advertisements. */
export function listAdvertisementRecords(sql: Db, query: AdvertisementQuery) {
  const where = sql`where true
    ${ifGiven(sql, query.q, (part) => sql`and a.title ilike ${`%${escapeLike(part)}%`}`)}
    ${ifGiven(sql, query.space_id, (space) => sql`and a.space_id = ${space}`)}`
  const by = query.sort === 'sort' ? sql`a.sort` : undefined
  return pageOf<AdvertisementRow>(
    sql,
    sql`
      select ${advertisementColumns(sql)} from advertising a ${where}
      ${listingAt(sql, query, { id: sql`a.id`, by, from: sql`advertising a` })}`,
    sql`select count(*)::int as total from advertising a ${where}`,
  )
}
