import { escapeLike, grams, gramsOfQuery, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { when } from '#platform/sql.ts'
import type { Area } from './schema.ts'

/** What every list of areas selects, of a table `a`. */
export const areaColumns = (sql: Db) => sql`
  a.id, a.name, coalesce(a.parent_id, 0)::bigint as pid, a.extra as "extends", a.longitude, a.latitude, a.created_at, a.updated_at`

/** The condition that finds a part of a name, through an index; nothing for a text that shows nothing. */
export const areaNamed = (sql: Db, text: string | undefined) => {
  const key = nameKey(text ?? '')
  return when(
    sql,
    key !== '',
    () => sql`and a.name_grams @> ${gramsOfQuery(key)} and a.name_key like ${`%${escapeLike(key)}%`}`,
  )
}

/** Areas with a part of their name, whose whole name it is first. */
export const searchAreas = (sql: Db, name: string, limit: number) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a where true ${areaNamed(sql, name)}
  order by (a.name_key = ${nameKey(name)}) desc, a.id limit ${limit}`

/** Some areas and all they are in. */
export const listUpwards = (sql: Db, ids: number[]) => sql<Area[]>`
  with recursive up as (
    select * from areas where id = any(${ids}::bigint[])
    union
    select p.* from areas p join up on p.id = up.parent_id
  )
  select ${areaColumns(sql)} from up a`

/** What is directly in these areas. */
export const listWithin = (sql: Db, ids: number[]) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a where a.parent_id = any(${ids}::bigint[]) order by a.id limit 1000`

export async function findArea(sql: Db, id: number, { lock = false } = {}): Promise<Area | undefined> {
  const [row] = await sql<Area[]>`
    select ${areaColumns(sql)} from areas a where a.id = ${id} ${when(sql, lock, () => sql`for update`)}`
  return row
}

/** Areas with a known place whose name is in a text, the longest names first. */
export const listNamedIn = (sql: Db, text: string, limit: number) => sql<Area[]>`
  select ${areaColumns(sql)} from areas a
  where a.longitude is not null and position(a.name_key in ${nameKey(text)}) > 0
  order by length(a.name_key) desc, a.id limit ${limit}`

type Columns = Pick<Area, 'name' | 'extends' | 'longitude' | 'latitude'> & { parentId: number | null }

export async function insertArea(
  sql: Db,
  { name, extends: extra, longitude, latitude, parentId }: Columns,
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into areas (name, name_key, name_grams, extra, parent_id, longitude, latitude)
    values (${name}, ${nameKey(name)}, ${grams(name)}, ${extra}, ${parentId}, ${longitude},
      ${latitude}) returning id`
  return row.id
}

export const updateArea = (
  sql: Db,
  id: number,
  { name, extends: extra, longitude, latitude }: Omit<Columns, 'parentId'>,
) => sql`
  update areas set name = ${name}, name_key = ${nameKey(name)}, name_grams = ${grams(name)}, extra = ${extra},
    longitude = ${longitude}, latitude = ${latitude}, updated_at = now()
  where id = ${id}`

export const deleteArea = (sql: Db, id: number) => sql`delete from areas where id = ${id}`
