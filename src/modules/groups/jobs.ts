import { detachFiles } from '#modules/files/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { countOldRequests, deleteMembers, deleteOldRequests } from './members/queries.ts'
import { listPostIds } from './posts/queries.ts'
import { removePost } from './posts/service.ts'
import { deleteGroup } from './queries.ts'

const BATCH = 500

/** Takes a deleted group apart, piece by piece; done again it goes on where it stopped. */
async function clearGroup(ctx: Context, id: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const posts = await listPostIds(ctx.sql, id, BATCH)
    for (const post of posts) await transaction(ctx.sql, (tx) => removePost(tx, id, post))
    if (posts.length === 0) break
    signal.throwIfAborted()
  }
  while ((await deleteMembers(ctx.sql, id, BATCH)) > 0) signal.throwIfAborted()
  await transaction(ctx.sql, async (tx) => {
    await detachFiles(tx, { channel: 'group:avatar', raws: [id] })
    await deleteGroup(tx, id)
  })
}

/** How many requests to join are older than the setting keeps, for `kith doctor`. */
export const countOldRequestsOf = async (ctx: Context, tx: Db): Promise<number> =>
  countOldRequests(tx, (await readSettings(ctx))['group:keep-request-days'])

/** Deletes requests to join that were decided or taken back longer ago than the setting says; answers how many. */
export async function clearOldRequests(ctx: Context, batch = BATCH): Promise<number> {
  const days = (await readSettings(ctx))['group:keep-request-days']
  let gone = 0
  for (let some = batch; some === batch; gone += some) some = await deleteOldRequests(ctx.sql, days, batch)
  return gone
}

/** Jobs of groups. */
export const groupTasks = (ctx: Context): TaskList => ({
  async remove_group(payload, { abortSignal }) {
    await clearGroup(ctx, (payload as { id: number }).id, abortSignal)
  },
  async tidy_group_requests() {
    await clearOldRequests(ctx)
  },
})

export const groupSchedules: Schedule[] = [{ task: 'tidy_group_requests', pattern: '47 3 * * *' }]
