import { grams, nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'

/** Which of these singers exist; none of them is deleted before the transaction ends. */
export const findLiveSingers = (sql: Db, ids: number[]) => sql<{ id: number }[]>`
  select id from music_singers where id = any(${ids}) and deleted_at is null order by id for share`

export type SingerValues = { name: string; cover: number | null; coverSize: string | null }

export async function insertSinger(sql: Db, { name, cover, coverSize }: SingerValues): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into music_singers (name, name_key, name_grams, cover, cover_size)
    values (${name}, ${nameKey(name)}, ${grams(name)}, ${cover}, ${coverSize}) returning id`
  return row.id
}

/** Changes the fields that are given. */
export async function updateSinger(
  sql: Db,
  id: number,
  { name, cover, coverSize }: Partial<SingerValues>,
): Promise<void> {
  await sql`
    update music_singers set updated_at = now()
      ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}, name_grams = ${grams(value)}`)}
      ${ifGiven(sql, cover, (value) => sql`, cover = ${value}, cover_size = ${coverSize ?? null}`)}
    where id = ${id}`
}

/** Deletes a singer unless songs of theirs are left. */
export async function deleteSinger(sql: Db, id: number): Promise<boolean> {
  const rows = await sql`
    update music_singers set deleted_at = now(), updated_at = now()
    where id = ${id} and deleted_at is null
      and not exists (select from music_songs where singer_id = ${id} and deleted_at is null)`
  return rows.count > 0
}
