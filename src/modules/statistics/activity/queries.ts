import type { Db } from '#platform/database.ts'

/** Notes that people were there today (UTC). */
export const notePeople = (sql: Db, ids: number[]) => sql`
  insert into active_people (day, user_id) select current_date, id from unnest(${ids}::bigint[]) as id
  on conflict do nothing`

/** Forgets who was there before a day; answers how many rows went. */
export async function forgetPeople(sql: Db, before: string, limit: number): Promise<number> {
  const gone = await sql`
    delete from active_people where (day, user_id) in (
      select day, user_id from active_people where day < ${before}::date order by day, user_id limit ${limit})`
  return gone.count
}
