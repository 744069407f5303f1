import {
  dropCachedAbilities,
  invalidateAbilities,
  isLastHolder,
  replaceRoles,
} from '#modules/abilities/index.ts'
import { releaseNodes } from '#modules/files/index.ts'
import { forfeitBalances } from '#modules/ledger/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { dropCachedTokens, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { Shared, Time } from '#platform/http'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import { lastFounder } from '../admin/schema.ts'
import { findContacts } from '../alerts/service.ts'
import { enqueueMessage } from '../messages/service.ts'
import type { UseProof } from '../owner-proof/service.ts'
import {
  deleteDeletion,
  endFollowings,
  eraseUser,
  finishDeletion,
  insertDeletion,
  listDue,
  listErased,
  lockDue,
} from './queries.ts'

export const accountErased = apiError(
  422,
  'account_erased',
  'This account was deleted by its owner: nothing of it can be changed any more.',
  '该账号已由本人注销，无法再修改。',
)

/** End of the grace period, until which a sign-in cancels the deletion. */
export const Deletion = Shared('AccountDeletion', { due_at: Time })

/**
 * Erases a module's data of a user, in a transaction of its own. Must be idempotent, because a failed erasure
 * is retried.
 */
export type Eraser = (ctx: Context, tx: Tx, userId: number) => Promise<unknown>

const AT_ONCE = 1000

/**
 * Schedules an account for deletion after proof of ownership. Ends all sessions. A later sign-in cancels the
 * deletion (rights-1).
 */
export async function askDeletion(ctx: Context, userId: number, use: UseProof): Promise<string> {
  const days = (await readSettings(ctx))['account:deletion-days']
  const { keys, dueAt } = await transaction(ctx.sql, async (tx) => {
    await use(tx)
    if (await isLastHolder(tx, 'founder', userId)) throw lastFounder()
    const dueAt = await insertDeletion(tx, userId, days)
    const date = dueAt.slice(0, 10)
    const contacts = await findContacts(tx, userId)
    if (contacts)
      await enqueueMessage(ctx, tx, contacts, {
        subject: '账号注销申请 Your account will be deleted',
        text: `您的账号将于 ${date}（UTC）之后注销。在此之前登录即可取消。 Your account will be deleted after ${date} (UTC). Sign in before then to keep it.`,
        page: 'deletion',
      })
    if (days === 0) await addJob(tx, 'erase_account', { id: userId })
    return { dueAt, keys: await revokeTokens(ctx, tx, userId) }
  })
  await dropCachedTokens(ctx, keys)
  return dueAt
}

/** Cancels the deletion for a proven owner who is suspended and cannot sign in. */
export async function keepAccount(ctx: Context, userId: number, use: UseProof): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    await use(tx)
    await takeDeletionBack(ctx, tx, userId)
  })
}

/** Cancels the deletion on sign-in, in the transaction that holds the lock of the account. */
export async function takeDeletionBack(ctx: Context, tx: Tx, userId: number): Promise<void> {
  if (!(await deleteDeletion(tx, userId))) return
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await enqueueMessage(ctx, tx, contacts, {
      subject: '账号注销已取消 Your account stays',
      text: '您已登录，账号注销申请已取消。 You signed in, so your account is not deleted.',
    })
}

/** First step: checks for the last founder, ends sessions and erases the identity. */
async function eraseIdentity(ctx: Context, userId: number): Promise<boolean> {
  const outcome = await transaction(ctx.sql, async (tx) => {
    const person = await lockDue(tx, userId)
    if (!person) return { goesOn: false, keys: [] }
    if (person.erased_at !== null) return { goesOn: true, keys: [] }
    if (await isLastHolder(tx, 'founder', userId)) {
      ctx.log.warn({ user: userId }, 'cannot delete the last founder: waiting for another one')
      return { goesOn: false, keys: [] }
    }
    const nodes = [person.avatar, person.bg].flatMap((picture) =>
      picture === null ? [] : [(picture as { node: string }).node],
    )
    await enqueueMessage(ctx, tx, person, {
      subject: '账号已注销 Your account was deleted',
      text: '您的账号已注销，个人资料已删除。 Your account was deleted, and what was known of you is gone.',
    })
    await eraseUser(tx, person)
    await releaseNodes(tx, nodes, userId)
    await replaceRoles(tx, userId, [])
    await invalidateAbilities(ctx, tx, userId)
    await addJob(tx, 'user_access_changed', { id: userId })
    await publishEvent(ctx, tx, 'user.deleted', { id: userId })
    return { goesOn: true, keys: await revokeTokens(ctx, tx, userId) }
  })
  await dropCachedTokens(ctx, outcome.keys)
  await dropCachedAbilities(ctx, userId)
  return outcome.goesOn
}

/** Erases a due account module by module. A retry resumes (rights-2). */
async function eraseAccount(ctx: Context, erasers: readonly Eraser[], userId: number): Promise<void> {
  if (!(await eraseIdentity(ctx, userId))) return
  while ((await transaction(ctx.sql, (tx) => endFollowings(tx, userId, AT_ONCE))) > 0);
  for (const erase of erasers) await transaction(ctx.sql, (tx) => erase(ctx, tx, userId))
  await transaction(ctx.sql, async (tx) => {
    // Refunds from the other erasers have reached the account by now.
    await forfeitBalances(tx, [userId])
    await finishDeletion(tx, userId)
  })
}

/** Enqueues erasure of accounts past their grace period. */
async function eraseDue(ctx: Context): Promise<void> {
  for (const id of await listDue(ctx.sql, AT_ONCE))
    await addJob(ctx.sql, 'erase_account', { id }, { key: `erase_account ${id}` })
}

/** Forfeits balances that reached erased accounts after their settlement (rights-3). */
async function sweepErased(ctx: Context): Promise<void> {
  for (let after = 0; ; ) {
    const ids = await listErased(ctx.sql, after, AT_ONCE)
    await transaction(ctx.sql, (tx) => forfeitBalances(tx, ids))
    const last = ids.at(-1)
    if (last === undefined || ids.length < AT_ONCE) return
    after = last
  }
}

/** Account deletion jobs. `erasers` come from higher modules. */
export const deletionTasks =
  (erasers: readonly Eraser[]) =>
  (ctx: Context): TaskList => ({
    erase_account: (payload) => eraseAccount(ctx, erasers, (payload as { id: number }).id),
    erase_accounts: () => eraseDue(ctx),
    sweep_erased: () => sweepErased(ctx),
  })

export const deletionSchedules: Schedule[] = [
  { task: 'erase_accounts', pattern: '*/10 * * * *' },
  { task: 'sweep_erased', pattern: '37 3 * * *' },
]
