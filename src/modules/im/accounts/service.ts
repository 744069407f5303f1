import { randomBytes } from 'node:crypto'
import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tables, transaction } from '#platform/database'
import { Id, IdList, Message, Shared, Type } from '#platform/http'
import { addJob } from '#platform/jobs'
import { imProvider } from '../providers/choose.ts'
import { ImError, type ImProvider } from '../providers/provider.ts'
import { addRetry, addSync, LEASE_SECONDS, waitFor } from '../sync/queries.ts'
import {
  confirmAccounts,
  countUnregistered,
  failAccounts,
  findAccounts,
  findPassword,
  insertAccounts,
  type LeasedAccount,
  leaseAccounts,
  listUnregistered,
  markWaiting,
  updatePassword,
} from './queries.ts'

export const UserIdParams = Type.Object({ user_id: Id })

export const UserIds = Shared('ImUserIds', { user_ids: IdList(1000, { minItems: 1 }) })

export const Nothing = Type.Unsafe<readonly []>({ type: 'array', items: {}, maxItems: 0 })

/** `im_pwd_hash` holds the password itself, because existing clients expect this field name (im-4). */
export const ImPassword = Shared('ImPassword', { ...Message.properties, im_pwd_hash: Type.String() })

const makePassword = (ctx: Context) => ctx.secrets.seal(randomBytes(24).toString('base64url'))

export async function ensureAccounts(ctx: Context, db: Db, ids: number[]): Promise<void> {
  const known = await findAccounts(db, ids, imProvider(ctx).name)
  const missing = [...new Set(ids)].filter((id) => !known.has(id))
  if (missing.length === 0) return
  await insertAccounts(
    db,
    missing.map((user_id) => ({ user_id, password: makePassword(ctx) })),
  )
}

export async function listUnconfirmed(ctx: Context, ids: number[], db: Db = ctx.sql): Promise<number[]> {
  const found = await findAccounts(db, ids, imProvider(ctx).name)
  return ids.filter((id) => !found.get(id)?.confirmed)
}

/** Returns `busy` if another sync holds a lease on an account. After `failed`, a job retries the sync. */
export async function syncAccounts(ctx: Context, ids: number[]): Promise<'done' | 'busy' | 'failed'> {
  const provider = imProvider(ctx)
  let failed = false
  for (let from = 0; from < ids.length; from += provider.capabilities.usersAtOnce) {
    let some = ids.slice(from, from + provider.capabilities.usersAtOnce)
    while (some.length > 0) {
      const leased = await leaseAccounts(ctx.sql, some, provider.name, LEASE_SECONDS)
      if (leased.length === 0) break
      if (!(await tellAccounts(ctx, provider, leased))) failed = true
      // Leases the same accounts again until none needs a sync, because a password may have changed during
      // the sync.
      some = failed ? [] : leased.map(({ user_id }) => user_id)
    }
    if (failed) return 'failed'
  }
  return (await listUnconfirmed(ctx, ids)).length > 0 ? 'busy' : 'done'
}

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
  /** `found`: the provider already had the account, with an unknown password. */
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

export async function readPassword(ctx: Context, userId: number): Promise<string> {
  await register(ctx, [userId])
  return ctx.secrets.open((await findPassword(ctx.sql, userId)) as string)
}

export async function rotatePassword(ctx: Context, userId: number): Promise<boolean> {
  await transaction(ctx.sql, async (tx) => {
    await ensureAccounts(ctx, tx, [userId])
    await updatePassword(tx, userId, makePassword(ctx))
    await addSync(tx, 'im_account', userId)
  })
  return confirmed(ctx, [userId])
}

/** Replaces the chat password, because a revoked session may have read the former one (im-4). */
export async function renewPassword(ctx: Context, userId: number): Promise<void> {
  await updatePassword(ctx.sql, userId, makePassword(ctx))
  await syncAccounts(ctx, [userId])
}

export async function changeAccess(ctx: Context, userId: number): Promise<void> {
  await markWaiting(ctx.sql, [userId])
  await syncAccounts(ctx, [userId])
}

export type Registration = Tables['im_registrations']

async function insertRegistration(sql: Db, userId: number, total: number): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into im_registrations (user_id, total) values (${userId}, ${total})
    on conflict do nothing returning id`
  return row?.id
}

async function findRegistration(sql: Db, id: number): Promise<Registration | undefined> {
  const [row] = await sql<Registration[]>`select * from im_registrations where id = ${id}`
  return row
}

export async function findLastRegistration(sql: Db): Promise<Registration | undefined> {
  const [row] = await sql<Registration[]>`select * from im_registrations order by id desc limit 1`
  return row
}

async function advanceRegistration(
  sql: Db,
  id: number,
  progress: { done: number; lastUserId: number; error?: string | null },
): Promise<void> {
  await sql`
    update im_registrations set done = done + ${progress.done}, last_user_id = ${progress.lastUserId},
      last_error = ${progress.error ?? null}
    where id = ${id}`
}

async function finishRegistration(sql: Db, id: number, left: number): Promise<void> {
  await sql`
    update im_registrations set finished_at = now(), done = greatest(done, total - ${left}) where id = ${id}`
}

const TASK = 'im_register_everybody'
/** Duration after which a job leaves the rest of the registration to another job, so that shutdowns stay fast. */
const AT_A_TIME_MS = 5_000
const RETRY_SECONDS = 5

const goOn = (db: Parameters<typeof addJob>[0], id: number, delaySeconds = 0) =>
  addJob(db, TASK, { id }, { key: `${TASK}:${id}`, queue: TASK, delaySeconds })

export function startRegistration(ctx: Context, userId: number): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const total = await countUnregistered(tx, imProvider(ctx).name)
    const id = await insertRegistration(tx, userId, total)
    if (id !== undefined) await goOn(tx, id)
    return id !== undefined
  })
}

/** Enqueues a retry during an outage of the provider. Skips users that the provider rejects. */
export async function registerAllUsers(ctx: Context, id: number): Promise<void> {
  const provider = imProvider(ctx)
  const until = performance.now() + AT_A_TIME_MS
  while (performance.now() < until) {
    const run = await findRegistration(ctx.sql, id)
    if (!run || run.finished_at !== null) return
    const { last_user_id: last } = run
    const ids = await listUnregistered(ctx.sql, last, provider.name, provider.capabilities.usersAtOnce)
    const lastUserId = ids.at(-1)
    if (lastUserId === undefined)
      return finishRegistration(ctx.sql, id, await countUnregistered(ctx.sql, provider.name))
    await ensureAccounts(ctx, ctx.sql, ids)
    await syncAccounts(ctx, ids)
    const left = await listUnconfirmed(ctx, ids)
    const done = ids.length - left.length
    const fault = left.length > 0 ? await provider.health().catch((error: Error) => error) : undefined
    if (fault instanceof Error) {
      await advanceRegistration(ctx.sql, id, { done, lastUserId: last, error: fault.message })
      return goOn(ctx.sql, id, RETRY_SECONDS)
    }
    await advanceRegistration(ctx.sql, id, { done, lastUserId })
  }
  return goOn(ctx.sql, id)
}
