import { invalidateAbilities, isLastHolder, replaceRoles } from '#modules/abilities/index.ts'
import { markNodesUnused } from '#modules/files/index.ts'
import { forfeitBalances } from '#modules/ledger/index.ts'
import { enqueueMessage, messageUser } from '#modules/mail/index.ts'
import { invalidateSenderName } from '#modules/notifications/index.ts'
import { revokeTokens } from '#modules/tokens/index.ts'
import { endFollowings, endRequests, eraseRelations, withdrawNotices } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import { Shared, Time } from '#platform/http'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import { lastFounder } from '../admin/queries.ts'
import type { UseProof } from '../identity/owner-proof.ts'
import { readAccountSettings } from '../settings.ts'

async function insertDeletion(tx: Tx, userId: number, days: number): Promise<string> {
  const [row] = await tx<[{ due_at: string }]>`
    insert into account_deletions as d (user_id, due_at) values (${userId}, now() + make_interval(days => ${days}))
    on conflict (user_id) do update set due_at = least(d.due_at, excluded.due_at) returning due_at`
  return row.due_at
}

/**
 * Returns false if the user has no pending deletion. Callers must lock the account. Otherwise an erasure
 * could start before the transaction ends.
 */
async function deleteDeletion(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx`
    delete from account_deletions where user_id = ${userId}
      and exists (select from users where id = ${userId} and erased_at is null) returning 1`
  return rows.length === 1
}

async function listDue(sql: Db, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from account_deletions where finished_at is null and due_at <= now()
    order by due_at limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

type DueRow = Row<'users', 'id' | 'email' | 'email_key' | 'phone' | 'avatar' | 'bg' | 'erased_at'>

/** Locks the account against a concurrent sign-in, which would cancel the deletion. */
async function lockDue(tx: Tx, userId: number): Promise<DueRow | undefined> {
  const [person] = await tx<DueRow[]>`
    select id, email, email_key, phone, avatar, bg, erased_at from users where id = ${userId} for update`
  const due = await tx`
    select from account_deletions where user_id = ${userId} and finished_at is null and due_at <= now()`
  return due.length === 1 ? person : undefined
}

/**
 * Erases the identity of a user, whose name becomes `deleted <id>`. No user can register this name, because it
 * contains a space.
 */
async function eraseUser(tx: Tx, { id, email_key, phone }: DueRow): Promise<void> {
  const name = `deleted ${id}`
  const accounts = [email_key, phone].filter((each) => each !== null)
  await tx`
    update users set name = ${name}, name_key = ${name}, name_grams = '{}', email = null, email_key = null,
      phone = null, password = null, bio = null, sex = 0, location = null, avatar = null, bg = null, verified = null,
      email_verified_at = null, phone_verified_at = null, recommended_at = null, updated_at = now(),
      deleted_at = coalesce(deleted_at, now()), erased_at = now()
    where id = ${id}`
  await tx`delete from verification_codes where account = any(${accounts})`
  await tx`delete from second_factors where user_id = ${id}`
  await tx`update invitations set ended_at = coalesce(ended_at, now()), note = null where user_id = ${id}`
  await tx`update registration_requests set name = ${name}, introduction = null where user_id = ${id}`
  await eraseRelations(tx, id)
}

const finishDeletion = (sql: Db, userId: number) => sql`
  update account_deletions set finished_at = now() where user_id = ${userId}`

async function listErased(sql: Db, after: number, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from account_deletions where finished_at is not null and user_id > ${after}
    order by user_id limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

export const Deletion = Shared('AccountDeletion', { due_at: Time })

/** Erases a module's data about one user. Must be idempotent, because the job retries after a failure. */
export type Eraser = (ctx: Context, tx: Tx, userId: number) => Promise<unknown>

const AT_ONCE = 1000

/**
 * Schedules the deletion of an account and revokes its sessions. A sign-in before the due date cancels the
 * deletion (rights-1).
 */
export async function scheduleDeletion(ctx: Context, userId: number, use: UseProof): Promise<string> {
  const days = (await readAccountSettings(ctx))['account:deletion-days']
  return transaction(ctx.sql, async (tx) => {
    await use(tx)
    if (await isLastHolder(tx, 'founder', userId)) throw lastFounder()
    const dueAt = await insertDeletion(tx, userId, days)
    const date = dueAt.slice(0, 10)
    await messageUser(ctx, tx, userId, {
      mail: 'deletion-planned',
      values: { date },
      page: 'deletion',
    })
    if (days === 0) await addJob(tx, 'erase_account', { id: userId })
    await revokeTokens(ctx, tx, userId)
    return dueAt
  })
}

/**
 * Cancels the deletion of a suspended user's account. A suspended user cannot cancel the deletion by signing
 * in.
 */
export async function cancelDeletionOutside(ctx: Context, userId: number, use: UseProof): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    await use(tx)
    await cancelDeletionAtSignIn(ctx, tx, userId)
  })
}

export async function cancelDeletionAtSignIn(ctx: Context, tx: Tx, userId: number): Promise<void> {
  if (!(await deleteDeletion(tx, userId))) return
  await messageUser(ctx, tx, userId, {
    mail: 'deletion-cancelled',
  })
}

async function eraseIdentity(ctx: Context, userId: number): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const person = await lockDue(tx, userId)
    if (!person) return false
    if (person.erased_at !== null) return true
    if (await isLastHolder(tx, 'founder', userId)) {
      ctx.log.warn({ user: userId }, 'cannot delete the last founder: waiting for another one')
      return false
    }
    const nodes = [person.avatar, person.bg].flatMap((picture) =>
      picture === null ? [] : [(picture as { node: string }).node],
    )
    await enqueueMessage(ctx, tx, person, {
      mail: 'deleted',
    })
    await eraseUser(tx, person)
    await invalidateSenderName(ctx, tx, userId)
    await markNodesUnused(tx, nodes, userId)
    await replaceRoles(tx, userId, [])
    await invalidateAbilities(ctx, tx, userId)
    await addJob(tx, 'user_access_changed', { id: userId })
    await publishEvent(ctx, tx, 'user.deleted', { id: userId })
    await revokeTokens(ctx, tx, userId)
    return true
  })
}

/** Commits after each eraser. A retry repeats finished erasers, which are idempotent (rights-2). */
async function eraseAccount(ctx: Context, erasers: readonly Eraser[], userId: number): Promise<void> {
  if (!(await eraseIdentity(ctx, userId))) return
  while ((await transaction(ctx.sql, (tx) => endFollowings(tx, userId, AT_ONCE))) > 0);
  while ((await transaction(ctx.sql, (tx) => endRequests(tx, userId, AT_ONCE))) > 0);
  await transaction(ctx.sql, (tx) => withdrawNotices(tx, userId))
  for (const erase of erasers) await transaction(ctx.sql, (tx) => erase(ctx, tx, userId))
  await transaction(ctx.sql, async (tx) => {
    // Forfeits balances last, because erasers of other modules may refund payments to the account.
    await forfeitBalances(tx, [userId])
    await finishDeletion(tx, userId)
  })
}

/** Enqueues erasure of accounts past their grace period. */
async function eraseDue(ctx: Context): Promise<void> {
  for (const id of await listDue(ctx.sql, AT_ONCE))
    await addJob(ctx.sql, 'erase_account', { id }, { key: `erase_account ${id}` })
}

/** Forfeits amounts that reached an account after its erasure (rights-3). */
async function sweepErased(ctx: Context): Promise<void> {
  for (let after = 0; ; ) {
    const ids = await listErased(ctx.sql, after, AT_ONCE)
    await transaction(ctx.sql, (tx) => forfeitBalances(tx, ids))
    const last = ids.at(-1)
    if (last === undefined || ids.length < AT_ONCE) return
    after = last
  }
}

export const deletionTasks =
  (erasers: readonly Eraser[]) =>
  (ctx: Context): TaskList => ({
    erase_account: (payload) => eraseAccount(ctx, erasers, (payload as { id: number }).id),
    erase_accounts: () => eraseDue(ctx),
    sweep_erased: () => sweepErased(ctx),
  })

export const deletionSchedules: Schedule[] = [
  { task: 'erase_accounts', pattern: '*/10 * * * *', deletes: true },
  { task: 'sweep_erased', pattern: '37 3 * * *' },
]
