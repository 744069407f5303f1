import type { Db } from '#platform/database.ts'
import { when } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { AdvertisingSpace, StoredData } from './schema.ts'

/** An advertisement as it is kept, with what its kind shows. */
export type AdvertisementRow = Tables['advertising'] & { data: StoredData }

/** What every list of advertisements selects, of a table `a`. */
export const advertisementColumns = (sql: Db) => sql`
  a.id, a.space_id, a.title, a.type, a.data, a.sort, a.created_at, a.updated_at`

export const listSpaces = (sql: Db) => sql<AdvertisingSpace[]>`
  select id, channel, space, alias, allow_type, format, created_at, updated_at from advertising_spaces order by id`

/** Every advertisement, in the order in which clients show them. */
export const listAdvertisements = (sql: Db) => sql<AdvertisementRow[]>`
  select ${advertisementColumns(sql)} from advertising a order by a.sort, a.id`

export async function findAdvertisement(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<AdvertisementRow | undefined> {
  const [row] = await sql<AdvertisementRow[]>`
    select ${advertisementColumns(sql)} from advertising a where a.id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

type Columns = Pick<AdvertisementRow, 'space_id' | 'title' | 'type' | 'data' | 'sort'>

export async function insertAdvertisement(sql: Db, made: Columns): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into advertising (space_id, title, type, data, sort)
    values (${made.space_id}, ${made.title}, ${made.type}, ${sql.json(made.data as never)}, ${made.sort})
    returning id`
  return row.id
}

export const updateAdvertisement = (sql: Db, id: number, made: Columns) => sql`
  update advertising set space_id = ${made.space_id}, title = ${made.title}, type = ${made.type},
    data = ${sql.json(made.data as never)}, sort = ${made.sort}, updated_at = now()
  where id = ${id}`

export const deleteAdvertisement = (sql: Db, id: number) => sql`delete from advertising where id = ${id}`
