import { announceAbilities, forgetAbilities, isLastHolder, replaceRoles } from '#modules/abilities/index.ts'
import { releaseNodes } from '#modules/files/index.ts'
import { forfeitBalances } from '#modules/ledger/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { forgetTokens, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { lastFounder } from '../admin/errors.ts'
import { findContacts } from '../alerts/queries.ts'
import { addLetter } from '../letters/service.ts'
import type { UseProof } from '../proofs/service.ts'
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

/** What a module does about somebody who is erased, in a transaction of its own. It may run again after a fault. */
export type Eraser = (ctx: Context, tx: Tx, userId: number) => Promise<unknown>

const AT_ONCE = 1000

/**
 * Asks for the deletion of somebody's account, on the proof that it is them. All sign-ins end; signing in again takes it back
 * (rights-1).
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
      await addLetter(ctx, tx, contacts, {
        subject: '账号注销申请 Your account will be deleted',
        text: `您的账号将于 ${date}（UTC）之后注销。在此之前登录即可取消。 Your account will be deleted after ${date} (UTC). Sign in before then to keep it.`,
        page: 'deletion',
      })
    if (days === 0) await addJob(tx, 'erase_account', { id: userId })
    return { dueAt, keys: await revokeTokens(ctx, tx, userId) }
  })
  forgetTokens(ctx, keys)
  return dueAt
}

/** Takes a deletion back for somebody who proved who they are and cannot sign in, because they are suspended. */
export async function keepAccount(ctx: Context, userId: number, use: UseProof): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    await use(tx)
    await takeDeletionBack(ctx, tx, userId)
  })
}

/** A sign-in takes a deletion back, in its own transaction, which holds the account. */
export async function takeDeletionBack(ctx: Context, tx: Tx, userId: number): Promise<void> {
  if (!(await deleteDeletion(tx, userId))) return
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await addLetter(ctx, tx, contacts, {
      subject: '账号注销已取消 Your account stays',
      text: '您已登录，账号注销申请已取消。 You signed in, so your account is not deleted.',
    })
}

/** The first step: nobody is anybody's last founder, signs in, or is known by this account any more. */
async function eraseIdentity(ctx: Context, userId: number): Promise<boolean> {
  const outcome = await transaction(ctx.sql, async (tx) => {
    const person = await lockDue(tx, userId)
    if (!person) return { goesOn: false, keys: [] }
    if (person.erased_at !== null) return { goesOn: true, keys: [] }
    if (await isLastHolder(tx, 'founder', userId)) {
      ctx.log.warn({ user: userId }, 'the last founder asked to be deleted: this waits for another founder')
      return { goesOn: false, keys: [] }
    }
    const nodes = [person.avatar, person.bg].flatMap((picture) =>
      picture === null ? [] : [(picture as { node: string }).node],
    )
    await addLetter(ctx, tx, person, {
      subject: '账号已注销 Your account was deleted',
      text: '您的账号已注销，个人资料已删除。 Your account was deleted, and what was known of you is gone.',
    })
    await eraseUser(tx, person)
    await releaseNodes(tx, nodes, userId)
    await replaceRoles(tx, userId, [])
    await announceAbilities(ctx, tx, userId)
    await addJob(tx, 'user_access_changed', { id: userId })
    await publishEvent(ctx, tx, 'user.deleted', { id: userId })
    return { goesOn: true, keys: await revokeTokens(ctx, tx, userId) }
  })
  forgetTokens(ctx, outcome.keys)
  forgetAbilities(ctx, userId)
  return outcome.goesOn
}

/** Erases an account whose time has come, module by module; after a fault it goes on where it was (rights-2). */
export async function eraseAccount(ctx: Context, erasers: readonly Eraser[], userId: number): Promise<void> {
  if (!(await eraseIdentity(ctx, userId))) return
  while ((await transaction(ctx.sql, (tx) => endFollowings(tx, userId, AT_ONCE))) > 0);
  for (const erase of erasers) await transaction(ctx.sql, (tx) => erase(ctx, tx, userId))
  await transaction(ctx.sql, async (tx) => {
    // What the others gave back is in the account by now.
    await forfeitBalances(tx, [userId])
    await finishDeletion(tx, userId)
  })
}

/** Has every account erased whose time has come. */
export async function eraseDue(ctx: Context): Promise<void> {
  for (const id of await listDue(ctx.sql, AT_ONCE))
    await addJob(ctx.sql, 'erase_account', { id }, { key: `erase_account ${id}` })
}

/** Takes over what came back to erased accounts after they were settled (rights-3). */
export async function sweepErased(ctx: Context): Promise<void> {
  for (let after = 0; ; ) {
    const ids = await listErased(ctx.sql, after, AT_ONCE)
    await transaction(ctx.sql, (tx) => forfeitBalances(tx, ids))
    const last = ids.at(-1)
    if (last === undefined || ids.length < AT_ONCE) return
    after = last
  }
}
