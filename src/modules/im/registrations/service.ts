import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { countUnregistered, listUnregistered } from '../accounts/queries.ts'
import { ensureAccounts, listUnconfirmed, syncAccounts } from '../accounts/service.ts'
import { imProvider } from '../providers/choose.ts'
import { advanceRegistration, findRegistration, finishRegistration, insertRegistration } from './queries.ts'

const TASK = 'im_register_everybody'
/** A job ends after this long and goes on in another, so that a process can stop. */
const AT_A_TIME_MS = 5_000
const RETRY_SECONDS = 5

const goOn = (db: Parameters<typeof addJob>[0], id: number, delaySeconds = 0) =>
  addJob(db, TASK, { id }, { key: `${TASK}:${id}`, queue: TASK, delaySeconds })

/** Begins to register everybody who has no account at the provider; false when that is going on already. */
export function startRegistration(ctx: Context, userId: number): Promise<boolean> {
  return transaction(ctx.sql, async (tx) => {
    const total = await countUnregistered(tx, imProvider(ctx).name)
    const id = await insertRegistration(tx, userId, total)
    if (id !== undefined) await goOn(tx, id)
    return id !== undefined
  })
}

/** Goes on with a registration of everybody. While the provider is down it waits; whom it refuses is passed over. */
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
