import { withdrawFromOthers, withdrawFromReader } from '#modules/notifications/index.ts'
import { listOpenTo } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { FEEDS, listIdsOfUser } from './queries.ts'

const BATCH = 500

/** `reader` lost the access to the feeds of `author`. Without a reader, everybody who does not follow `author` did. */
export type Closing = { author: number; reader?: number }

/**
 * Withdraws unread notifications about feeds of a private account, which would lead to nothing (notifications-7).
 * Reads who may see the feeds again, because the account or its followers may have changed since.
 */
export async function withdrawPrivateFeeds(
  ctx: Context,
  { author, reader }: Closing,
  signal: AbortSignal,
): Promise<void> {
  const { sql } = ctx
  if (reader !== undefined) {
    if ((await listOpenTo(sql, author, [reader])).length > 0) return
    const ids = sql`select id from feeds where user_id = ${author}`
    return transaction(sql, (tx) => withdrawFromReader(tx, reader, { type: FEEDS, ids }))
  }
  for (let after = 0; ; ) {
    const ids = await listIdsOfUser(sql, author, after, BATCH)
    if (ids.length > 0)
      await withdrawFromOthers(ctx, { type: FEEDS, ids }, (users) => listOpenTo(sql, author, users), signal)
    if (ids.length < BATCH) return
    after = ids.at(-1) ?? after
    signal.throwIfAborted()
  }
}
