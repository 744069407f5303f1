import type { Context } from '#platform/context.ts'
import { type Db, type Tables, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { countUnregistered, listUnregistered } from '../accounts/queries.ts'
import { ensureAccounts, listUnconfirmed, syncAccounts } from '../accounts/service.ts'
import { imProvider } from '../providers/choose.ts'

export type Registration = Tables['im_registrations']

/** Starts a registration of all users. Returns undefined when one is running. */
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

/** Finds the latest registration. */
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

/** `left`: users still without an account. Others may have registered another way in the meantime. */
async function finishRegistration(sql: Db, id: number, left: number): Promise<void> {
  await sql`
    update im_registrations set finished_at = now(), done = greatest(done, total - ${left}) where id = ${id}`
}

const TASK = 'im_register_everybody'
/** Maximum duration of one job. The rest continues in another job, so that a process can stop. */
const AT_A_TIME_MS = 5_000
const RETRY_SECONDS = 5

const goOn = (db: Parameters<typeof addJob>[0], id: number, delaySeconds = 0) =>
  addJob(db, TASK, { id }, { key: `${TASK}:${id}`, queue: TASK, delaySeconds })

/**
 * Starts the registration of all users without an account at the provider. Returns false when one is running.
 */
export function startRegistration(ctx: Context, userId: number): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const total = await countUnregistered(tx, imProvider(ctx).name)
    const id = await insertRegistration(tx, userId, total)
    if (id !== undefined) await goOn(tx, id)
    return id !== undefined
  })
}

/**
 * Continues a registration of all users. Waits during an outage of the provider, and skips users that it
 * rejects.
 */
export async function registerEverybody(ctx: Context, id: number): Promise<void> {
  const provider = imProvider(ctx)
  const until = Date.now() + AT_A_TIME_MS
  while (Date.now() < until) {
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
