import type { ContentRemoval } from '#contracts/content.ts'
import { enqueueErasure, setAccountsDisabled } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { ApiError } from '#platform/errors.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import {
  countProcessed,
  deletePreviews,
  findOwnDisabled,
  findStandings,
  findWave,
  handOver,
  listDueWaves,
  listMemberIds,
  lockAccounts,
  releaseVanished,
  saveMembers,
  saveState,
  settleUndone,
  type WaveRow,
} from './queries.ts'
import { enqueueWave, type Removals } from './service.ts'

/** Maximum number of accounts that one transaction changes. */
export const BATCH = 50

/** Disables some chosen accounts. Accounts that changed since the preview get their own outcome. */
async function disableBatch(ctx: Context, tx: Tx, wave: WaveRow): Promise<void> {
  const ids = await listMemberIds(tx, wave.id, ['chosen'], BATCH)
  if (ids.length === 0) {
    await saveState(tx, wave.id, 'done')
    return
  }
  await lockAccounts(tx, ids)
  const standings = await findStandings(tx, ids, wave)
  const byStanding = Map.groupBy(standings, ({ standing }) => standing)
  for (const [standing, rows] of byStanding) {
    const some = rows.map(({ id }) => id)
    if (standing === 'chosen') await setAccountsDisabled(ctx, tx, some, true)
    await saveMembers(tx, wave.id, some, standing === 'chosen' ? 'disabled' : standing)
  }
  if (standings.length < ids.length) await releaseVanished(tx, wave.id, ids)
  await countProcessed(tx, wave.id, ids.length)
}

/** Enables some accounts that this wave disabled, unless a later decision or another wave holds them. */
async function undoBatch(ctx: Context, tx: Tx, wave: WaveRow): Promise<void> {
  const ids = await listMemberIds(tx, wave.id, ['chosen', 'already', 'disabled'], BATCH)
  if (ids.length === 0) {
    await saveState(tx, wave.id, 'undone')
    return
  }
  await lockAccounts(tx, ids)
  const own = await findOwnDisabled(tx, wave.id, ids)
  const held = new Set(await handOver(tx, wave.id, own))
  const free = own.filter((id) => !held.has(id))
  await setAccountsDisabled(ctx, tx, free, false)
  await saveMembers(tx, wave.id, free, 'enabled')
  await settleUndone(tx, wave.id, ids)
  await countProcessed(tx, wave.id, ids.length)
}

/**
 * Changes one batch in a transaction that holds the wave, so that a killed process repeats at most this batch, and a
 * decision waits for its end. Returns the state that the next batch begins with.
 */
const runBatch = (ctx: Context, id: number) =>
  transaction(ctx.sql, async (tx): Promise<WaveRow | undefined> => {
    const wave = await findWave(tx, id, { lock: true })
    if (wave?.state === 'running') await disableBatch(ctx, tx, wave)
    else if (wave?.state === 'undoing') await undoBatch(ctx, tx, wave)
    else if (wave?.state === 'done' && wave.due_at !== null && !wave.undoable)
      await saveState(tx, id, 'deleting')
    return findWave(tx, id)
  })

/** Locks the account, and returns whether the wave, and no later decision, disabled it. */
async function isDue(tx: Tx, waveId: number, userId: number): Promise<boolean> {
  await lockAccounts(tx, [userId])
  return (await findOwnDisabled(tx, waveId, [userId])).length === 1
}

type OfAuthor = ContentRemoval & { ofAuthor: NonNullable<ContentRemoval['ofAuthor']> }

/** Removes the content of one kind, each in a transaction of its own. Returns false when the account must stay. */
async function removeContent(
  ctx: Context,
  wave: WaveRow,
  userId: number,
  removal: OfAuthor,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (;;) {
    signal?.throwIfAborted()
    const rows = await ctx.sql<{ id: number }[]>`
      select id from (${removal.ofAuthor(ctx.sql, userId)}) c order by id limit ${BATCH}`
    if (rows.length === 0) return true
    let removed = 0
    for (const { id } of rows) {
      const work = transaction(ctx.sql, async (tx) => {
        if (!(await isDue(tx, wave.id, userId))) return false
        await removal.remove(ctx, tx, id, wave.decided_by ?? 0)
        return true
      })
      const isRemoved = await work.catch((error: unknown) => {
        // Ignores content that its author or a moderator deleted meanwhile.
        if (error instanceof ApiError && error.status === 404) return undefined
        throw error
      })
      if (isRemoved === false) return false
      if (isRemoved) removed += 1
    }
    // Ends a loop over content that is listed but not found. The erasure then leaves it without an author.
    if (removed === 0) return true
  }
}

/** Removes the content of one account and erases the account. Repeatable, because both find what is left. */
async function deleteOne(
  ctx: Context,
  wave: WaveRow,
  userId: number,
  removals: readonly OfAuthor[],
  signal: AbortSignal | undefined,
): Promise<void> {
  let isGone = true
  for (const removal of removals) isGone = isGone && (await removeContent(ctx, wave, userId, removal, signal))
  await transaction(ctx.sql, async (tx) => {
    await findWave(tx, wave.id, { lock: true })
    if (isGone && (await isDue(tx, wave.id, userId))) {
      await enqueueErasure(tx, userId)
      await saveMembers(tx, wave.id, [userId], 'deleted')
    } else await saveMembers(tx, wave.id, [userId], 'kept')
    await countProcessed(tx, wave.id, 1)
  })
}

async function runWave(ctx: Context, id: number, removals: Removals, signal?: AbortSignal): Promise<void> {
  const withAuthor = Object.values(removals).filter((each): each is OfAuthor => each?.ofAuthor !== undefined)
  for (;;) {
    signal?.throwIfAborted()
    const wave = await runBatch(ctx, id)
    if (wave?.state === 'deleting') {
      const ids = await listMemberIds(ctx.sql, id, ['disabled'], BATCH)
      for (const userId of ids) await deleteOne(ctx, wave, userId, withAuthor, signal)
      if (ids.length === 0) await transaction(ctx.sql, (tx) => saveState(tx, id, 'deleted'))
    } else if (wave?.state === 'done' && wave.due_at !== null && !wave.undoable) continue
    else if (wave?.state !== 'running' && wave?.state !== 'undoing') return
  }
}

/** Enqueues deletions that are due, and waves whose job failed for good. */
async function resumeWaves(ctx: Context): Promise<void> {
  for (const id of await listDueWaves(ctx.sql)) await transaction(ctx.sql, (tx) => enqueueWave(tx, id))
}

export const waveTasks =
  (removals: Removals) =>
  (ctx: Context): TaskList => ({
    run_account_wave: (payload, { abortSignal }) =>
      runWave(ctx, (payload as { id: number }).id, removals, abortSignal),
    resume_account_waves: () => resumeWaves(ctx),
    async tidy_account_waves() {
      while ((await deletePreviews(ctx.sql)).count === 10);
    },
  })

export const waveSchedules: Schedule[] = [
  { task: 'resume_account_waves', pattern: '*/10 * * * *', deletes: true },
  { task: 'tidy_account_waves', pattern: '53 3 * * *' },
]
