import { replaceRoles } from '#modules/abilities/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, type Row, type Tables, type Tx } from '#platform/database'
import { addJob } from '#platform/jobs'
import { findContacts } from '../alerts/service.ts'
import { followFamous } from '../famous/queries.ts'
import { enqueueMessage } from '../messages/service.ts'
import { saveDisabled } from '../passwords/queries.ts'

export type RequestState = 'waiting' | 'accepted' | 'rejected'
export type RequestRow = Tables['registration_requests'] & { state: RequestState }

export const insertRequest = (sql: Db, userId: number, name: string, introduction: string | null) => sql`
  insert into registration_requests (user_id, name, introduction) values (${userId}, ${name}, ${introduction})`

/** Checks for an account that is disabled because its request is pending. */
export async function isWaiting(sql: Db, userId: number): Promise<boolean> {
  const [row] = await sql<[{ waiting: boolean }]>`
    select exists (
      select from registration_requests where user_id = ${userId} and state = 'waiting'
    ) as waiting`
  return row.waiting
}

/** Decides a pending request, by its id or user. Undefined if there is none. */
async function decideRequest(
  sql: Db,
  of: { id?: number; userId?: number },
  { state, remark, decidedBy }: { state: RequestState; remark: string | null; decidedBy: number },
): Promise<{ user_id: number; name: string } | undefined> {
  const [row] = await sql<{ user_id: number; name: string }[]>`
    update registration_requests set state = ${state}, remark = ${remark}, decided_by = ${decidedBy}, decided_at = now()
    where state = 'waiting' and user_id is not null
      ${ifGiven(sql, of.id, (id) => sql`and id = ${id}`)} ${ifGiven(sql, of.userId, (id) => sql`and user_id = ${id}`)}
    returning user_id, name`
  return row
}

/** Deletes an account that was never active. Returns its e-mail and phone. */
async function deleteNewcomer(sql: Db, userId: number): Promise<Row<'users', 'email' | 'phone'> | undefined> {
  const [row] = await sql<Row<'users', 'email' | 'phone'>[]>`
    delete from users where id = ${userId} returning email, phone`
  return row
}

const REASON = { zh: '说明：', en: 'Reason: ' }
const withReason = (zh: string, en: string, remark: string | null) =>
  remark === null ? `${zh} ${en}` : `${zh}${REASON.zh}${remark} ${en} ${REASON.en}${remark}`

type Decision = { decidedBy: number; remark: string | null }

/**
 * Approves a pending user by request or account, and notifies them. From here on they are a regular member.
 * False if none is pending.
 */
export async function admit(
  ctx: Context,
  tx: Tx,
  of: { id?: number; userId?: number },
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, of, { state: 'accepted', remark, decidedBy })
  if (!decided) return false
  const { user_id: id, name } = decided
  await saveDisabled(tx, id, false)
  await followFamous(tx, id)
  await addJob(tx, 'user_created', { id })
  await publishEvent(ctx, tx, 'user.created', { id, name })
  const contacts = await findContacts(tx, id)
  if (contacts)
    await enqueueMessage(ctx, tx, contacts, {
      subject: '注册申请已通过 Your registration was accepted',
      text: withReason(
        '您的注册申请已通过，现在可以登录。',
        'Your registration was accepted. You can sign in now.',
        remark,
      ),
    })
  return true
}

/**
 * Rejects a pending user, notifies them, and frees their name, e-mail and phone. False if none is pending.
 */
export async function turnAway(
  ctx: Context,
  tx: Tx,
  id: number,
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, { id }, { state: 'rejected', remark, decidedBy })
  if (!decided) return false
  await replaceRoles(tx, decided.user_id, [])
  const contacts = await deleteNewcomer(tx, decided.user_id)
  if (contacts)
    await enqueueMessage(ctx, tx, contacts, {
      subject: '注册申请未通过 Your registration was not accepted',
      text: withReason(
        '您的注册申请未通过，所填资料已删除。',
        'Your registration was not accepted, and what you entered was deleted.',
        remark,
      ),
    })
  return true
}
