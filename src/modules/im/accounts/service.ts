import { randomBytes } from 'node:crypto'
import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { imProvider } from '../providers/choose.ts'
import { ImError, type ImProvider } from '../providers/provider.ts'
import { addRetry, addSync, LEASE_SECONDS, waitFor } from '../sync/background.ts'
import {
  confirmAccounts,
  failAccounts,
  findAccounts,
  findPassword,
  insertAccounts,
  type LeasedAccount,
  leaseAccounts,
  markWaiting,
  updatePassword,
} from './queries.ts'

const makePassword = (ctx: Context) => ctx.secrets.seal(randomBytes(24).toString('base64url'))

/** Gives people an account here unless they have one; the provider is told later. */
export async function ensureAccounts(ctx: Context, db: Db, ids: number[]): Promise<void> {
  const known = await findAccounts(db, ids, imProvider(ctx).name)
  const missing = [...new Set(ids)].filter((id) => !known.has(id))
  if (missing.length === 0) return
  await insertAccounts(
    db,
    missing.map((user_id) => ({ user_id, password: makePassword(ctx) })),
  )
}

/** Which of these accounts the provider has not confirmed. */
export async function listUnconfirmed(ctx: Context, ids: number[], db: Db = ctx.sql): Promise<number[]> {
  const found = await findAccounts(db, ids, imProvider(ctx).name)
  return ids.filter((id) => !found.get(id)?.confirmed)
}

/**
 * Tells the provider of the accounts among these that it has not confirmed. What fails is tried again later; `busy`
 * when somebody else is at work on some.
 */
export async function syncAccounts(ctx: Context, ids: number[]): Promise<'done' | 'busy' | 'failed'> {
  const provider = imProvider(ctx)
  let failed = false
  for (let from = 0; from < ids.length; from += provider.capabilities.usersAtOnce) {
    let some = ids.slice(from, from + provider.capabilities.usersAtOnce)
    while (some.length > 0) {
      const leased = await leaseAccounts(ctx.sql, some, provider.name, LEASE_SECONDS)
      if (leased.length === 0) break
      if (!(await tellAccounts(ctx, provider, leased))) failed = true
      // A password may have changed meanwhile; what failed waits for its retry.
      some = failed ? [] : leased.map(({ user_id }) => user_id)
    }
    if (failed) return 'failed'
  }
  return (await listUnconfirmed(ctx, ids)).length > 0 ? 'busy' : 'done'
}

/** False when anything failed. */
async function tellAccounts(ctx: Context, provider: ImProvider, leased: LeasedAccount[]): Promise<boolean> {
  const passwords = new Map(leased.map((each) => [each.user_id, ctx.secrets.open(each.password)]))
  const confirmed: LeasedAccount[] = []
  const faults = new Map<number, unknown>()
  const attempt = async (account: LeasedAccount, work: () => Promise<unknown>) => {
    try {
      await work()
      confirmed.push(account)
    } catch (error) {
      faults.set(account.user_id, error)
    }
  }
  /** `found`: it was there already, with who knows what password. */
  const bringInLine = (account: LeasedAccount, found: boolean) => {
    const [name, password] = [String(account.user_id), passwords.get(account.user_id) as string]
    if (account.disabled) return provider.lock(name)
    return found || account.locked ? provider.unlock(name, password) : provider.setPassword(name, password)
  }
  const register = async (accounts: LeasedAccount[]) => {
    const outcomes = await provider.ensureUsers(
      accounts.map(({ user_id }) => ({
        name: String(user_id),
        password: passwords.get(user_id) as string,
      })),
    )
    await Promise.all(
      accounts.map((account) =>
        attempt(account, async () => {
          const outcome = outcomes.get(String(account.user_id))
          if (outcome instanceof ImError) throw outcome
          if (outcome === 'already' || account.disabled) await bringInLine(account, outcome === 'already')
        }),
      ),
    )
  }
  const known = leased.filter((each) => each.known)
  const fresh = leased.filter((each) => !each.known)
  await Promise.all(
    known.map((account) =>
      attempt(account, () =>
        bringInLine(account, false).catch((error) => {
          if (!(error instanceof ImError && error.fault === 'not_found')) throw error
          fresh.push(account)
        }),
      ),
    ),
  )
  try {
    if (fresh.length > 0) await register(fresh)
  } catch (error) {
    for (const { user_id } of fresh) faults.set(user_id, error)
  }
  const good = confirmed.filter(({ user_id }) => !faults.has(user_id))
  if (good.length > 0) await confirmAccounts(ctx.sql, good, provider.name)
  for (const [id, error] of faults) {
    const attempts = await failAccounts(ctx.sql, [id], messageOf(error))
    await addRetry(ctx, 'im_account', id, attempts, error)
  }
  return faults.size === 0
}

/** Registers people; true once the provider confirmed all of them. */
export async function register(ctx: Context, ids: number[]): Promise<boolean> {
  if (ids.length === 0) return true
  await transaction(ctx.sql, async (tx) => {
    await ensureAccounts(ctx, tx, ids)
    const waiting = await listUnconfirmed(ctx, ids, tx)
    if (waiting.length > 0) await addJob(tx, 'im_accounts', { ids: waiting }, { delaySeconds: 10 })
  })
  return confirmed(ctx, ids)
}

const confirmed = (ctx: Context, ids: number[]) =>
  waitFor(
    ctx,
    () => syncAccounts(ctx, ids),
    async () => (await listUnconfirmed(ctx, ids)).length === 0,
  )

/** The password one signs in to the provider with; the account is made on first use (im-4). */
export async function readPassword(ctx: Context, userId: number): Promise<string> {
  await register(ctx, [userId])
  return ctx.secrets.open((await findPassword(ctx.sql, userId)) as string)
}

/** Makes another password; true once the provider confirmed it. */
export async function rotatePassword(ctx: Context, userId: number): Promise<boolean> {
  await transaction(ctx.sql, async (tx) => {
    await ensureAccounts(ctx, tx, [userId])
    await updatePassword(tx, userId, makePassword(ctx))
    await addSync(tx, 'im_account', userId)
  })
  return confirmed(ctx, [userId])
}

/** Locks the account of somebody who was disabled at the provider, or unlocks that of one who was enabled. */
export async function changeAccess(ctx: Context, userId: number): Promise<void> {
  await markWaiting(ctx.sql, [userId])
  await syncAccounts(ctx, [userId])
}
