import { escapeLike } from '#lib/text.ts'
import { type AdvertisementRow, advertisementColumns } from '#modules/advertising/index.ts'
import type { Db } from '#platform/database.ts'
import { pageOf } from '../paging.ts'
import type { AdvertisementQuery } from './schema.ts'

/** A page of all advertisements. */
export function listAdvertisementRecords(sql: Db, query: AdvertisementQuery) {
  const { page = 1, limit = 15, sort = 'id', order, q, space_id: space } = query
  const where = sql`where true ${q === undefined ? sql`` : sql`and a.title ilike ${`%${escapeLike(q)}%`}`}
    ${space === undefined ? sql`` : sql`and a.space_id = ${space}`}`
  const by = order === 'asc' ? sql`asc` : sql`desc`
  return pageOf<AdvertisementRow>(
    sql`select ${advertisementColumns(sql)} from advertising a ${where}
      order by ${sort === 'sort' ? sql`a.sort ${by},` : sql``} a.id ${by} limit ${limit} offset ${(page - 1) * limit}`,
    sql`select count(*)::int as total from advertising a ${where}`,
  )
}
