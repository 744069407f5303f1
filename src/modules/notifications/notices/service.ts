import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { notify, withdrawNotifications } from '../service.ts'

export type NoticeRow = {
  id: number
  user_id: number
  contents: string
  user_ids: number[] | null
  status: 'sending' | 'sent' | 'withdrawn'
  sent: number
  total: number
  created_at: string
  finished_at: string | null
}

async function insertNotice(
  sql: Db,
  notice: { userId: number; contents: string; userIds: number[] | null },
): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into notices (user_id, contents, user_ids, total)
    values (${notice.userId}, ${notice.contents}, ${notice.userIds}, ${notice.userIds?.length ?? 0})
    returning id`
  return row.id
}

export async function findUnreachable(sql: Db, ids: number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select given.id from unnest(${ids}::bigint[]) as given (id)
    where not exists (select from users u where u.id = given.id and u.deleted_at is null) order by given.id`
  return rows.map(({ id }) => id)
}

async function countPeople(sql: Db, id: number): Promise<void> {
  await sql`
    update notices set total = (select count(*) from users where deleted_at is null)
    where id = ${id} and total = 0 and status = 'sending'`
}

async function lockNotice(sql: Db, id: number): Promise<{ last_user_id: number } | undefined> {
  const [row] = await sql<{ last_user_id: number }[]>`
    select last_user_id from notices where id = ${id} and status = 'sending' for update`
  return row
}

async function findPeopleAfter(sql: Db, id: number, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from users where id > ${id} and deleted_at is null order by id limit ${limit}`
  return rows.map((row) => row.id)
}

async function advanceNotice(sql: Db, id: number, sent: number, lastUserId: number | null): Promise<void> {
  await sql`
    update notices set sent = sent + ${sent}, total = greatest(total, sent + ${sent}),
      ${lastUserId === null ? sql`status = 'sent', finished_at = now()` : sql`last_user_id = ${lastUserId}`}
    where id = ${id}`
}

export async function updateNotice(sql: Db, id: number, contents: string): Promise<string | undefined> {
  const [row] = await sql<{ before: string }[]>`
    with old as (select id, contents from notices where id = ${id} and status <> 'withdrawn' for update)
    update notices n set contents = ${contents} from old where n.id = old.id returning old.contents as before`
  return row?.before
}

async function withdrawNotice(sql: Db, id: number): Promise<string | undefined> {
  const [row] = await sql<{ contents: string }[]>`
    update notices set status = 'withdrawn', finished_at = coalesce(finished_at, now())
    where id = ${id} and status <> 'withdrawn' returning contents`
  return row?.contents
}

const AT_ONCE = 500

const tell = (tx: Db, id: number, recipients: number[]) =>
  notify(tx, {
    type: 'system',
    recipients,
    senderId: 0,
    cause: { type: 'notices', id },
    data: { type: 'notice', notice: { id } },
  })

export async function sendNotice(
  tx: Db,
  notice: { userId: number; contents: string; userIds: number[] | null },
): Promise<number> {
  const id = await insertNotice(tx, notice)
  if (notice.userIds === null) await addJob(tx, 'send_notice', { id }, { queue: 'notices' })
  else {
    await tell(tx, id, notice.userIds)
    await advanceNotice(tx, id, notice.userIds.length, null)
  }
  return id
}

/**
 * Commits the progress with each batch of users, so that an interrupted job continues with the remaining
 * users.
 */
export async function sendToAll(ctx: Context, id: number, signal: AbortSignal): Promise<void> {
  await countPeople(ctx.sql, id)
  for (let goesOn = true; goesOn; ) {
    signal.throwIfAborted()
    goesOn = await transaction(ctx.sql, async (tx) => {
      const notice = await lockNotice(tx, id)
      if (!notice) return false
      const people = await findPeopleAfter(tx, notice.last_user_id, AT_ONCE)
      if (people.length > 0) await tell(tx, id, people)
      const last = people.length < AT_ONCE ? null : (people.at(-1) as number)
      await advanceNotice(tx, id, people.length, last)
      return last !== null
    })
  }
}

export async function stopNotice(tx: Db, id: number): Promise<string | undefined> {
  const contents = await withdrawNotice(tx, id)
  if (contents !== undefined) await withdrawNotifications(tx, { cause: { type: 'notices', id } })
  return contents
}
