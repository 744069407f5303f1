import type { Db } from '#platform/database.ts'

/** Writes a notice; without `userIds` it is for everybody, and counted so. */
export async function insertNotice(
  sql: Db,
  notice: { userId: number; contents: string; userIds: number[] | null },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into notices (user_id, contents, user_ids, total)
    values (${notice.userId}, ${notice.contents}, ${notice.userIds}, ${notice.userIds?.length ?? 0})
    returning id`
  return row.id
}

/** Which of these are no account that could read a notice. */
export async function findUnreachable(sql: Db, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select given.id from unnest(${ids}::bigint[]) as given (id)
    where not exists (select from users u where u.id = given.id and u.deleted_at is null) order by given.id`
  return rows.map(({ id }) => id)
}

/** Sets the number of people that a notice to everybody is for. */
export async function countPeople(sql: Db, id: number): Promise<void> {
  await sql`
    update notices set total = (select count(*) from users where deleted_at is null)
    where id = ${id} and total = 0 and status = 'sending'`
}

/** Takes hold of a notice that is still to be sent, until the commit. */
export async function lockNotice(sql: Db, id: number): Promise<{ last_user_id: number } | undefined> {
  const [row] = await sql<{ last_user_id: number }[]>`
    select last_user_id from notices where id = ${id} and status = 'sending' for update`
  return row
}

/** The next people in the order of ids. */
export async function findPeopleAfter(sql: Db, id: number, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where id > ${id} and deleted_at is null order by id limit ${limit}`
  return rows.map((row) => row.id)
}

/** Keeps how far a notice has come; `lastUserId` is null once it is done. */
export async function advanceNotice(
  sql: Db,
  id: number,
  sent: number,
  lastUserId: number | null,
): Promise<void> {
  await sql`
    update notices set sent = sent + ${sent}, total = greatest(total, sent + ${sent}),
      ${lastUserId === null ? sql`status = 'sent', finished_at = now()` : sql`last_user_id = ${lastUserId}`}
    where id = ${id}`
}

/** Changes the text for everybody who was or will be told; false when there is no such notice. */
export async function updateNotice(sql: Db, id: number, contents: string): Promise<string | undefined> {
  const [row] = await sql<{ before: string }[]>`
    with old as (select id, contents from notices where id = ${id} and status <> 'withdrawn' for update)
    update notices n set contents = ${contents} from old where n.id = old.id returning old.contents as before`
  return row?.before
}

/** Marks a notice as withdrawn; answers its text, undefined when there is none. */
export async function withdrawNotice(sql: Db, id: number): Promise<string | undefined> {
  const [row] = await sql<{ contents: string }[]>`
    update notices set status = 'withdrawn', finished_at = coalesce(finished_at, now())
    where id = ${id} and status <> 'withdrawn' returning contents`
  return row?.contents
}
