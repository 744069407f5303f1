import type { Db } from '#platform/database.ts'
import type { Tables } from '#platform/tables.ts'

export type Registration = Tables['im_registrations']

/** Begins a registration of everybody; undefined when one runs. */
export async function insertRegistration(
  sql: Db,
  userId: number,
  total: number,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into im_registrations (user_id, total) values (${userId}, ${total})
    on conflict do nothing returning id`
  return row?.id
}

export async function findRegistration(sql: Db, id: number): Promise<Registration | undefined> {
  const [row] = await sql<Registration[]>`select * from im_registrations where id = ${id}`
  return row
}

/** The last one that was asked for. */
export async function findLastRegistration(sql: Db): Promise<Registration | undefined> {
  const [row] = await sql<Registration[]>`select * from im_registrations order by id desc limit 1`
  return row
}

export async function advanceRegistration(
  sql: Db,
  id: number,
  progress: { done: number; lastUserId: number; error?: string | null },
): Promise<void> {
  await sql`
    update im_registrations set done = done + ${progress.done}, last_user_id = ${progress.lastUserId},
      last_error = ${progress.error ?? null}
    where id = ${id}`
}

/** `left`: who is not registered still. Others may have been by another way meanwhile. */
export async function finishRegistration(sql: Db, id: number, left: number): Promise<void> {
  await sql`
    update im_registrations set finished_at = now(), done = greatest(done, total - ${left}) where id = ${id}`
}
