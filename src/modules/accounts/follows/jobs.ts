import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import type { Schedule, TaskList } from '#platform/jobs'
import { friendsOf } from './queries.ts'

const BATCH = 500

/** Counts the friends of users from before their number was kept, in batches. */
async function countFriends({ sql }: Context): Promise<void> {
  for (;;) {
    const counted = await transaction(sql, async (tx) => {
      const rows = await tx<{ user_id: number }[]>`
        select user_id from user_counts where friends_count is null order by user_id limit ${BATCH} for update`
      // A second statement sees the follows that were committed before the lock.
      await tx`
        update user_counts c set friends_count = (${friendsOf(tx, tx`c.user_id`)})
        where user_id = any(${rows.map((row) => row.user_id)})`
      return rows.length
    })
    if (counted < BATCH) return
  }
}

export const followTasks = (ctx: Context): TaskList => ({ count_friends: () => countFriends(ctx) })

export const followSchedules: Schedule[] = [{ task: 'count_friends', pattern: '*/10 * * * *' }]
