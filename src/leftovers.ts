import { clearLeftovers, countLeftovers } from '#modules/files/index.ts'
import { clearOldRequests, countOldRequestsOf } from '#modules/groups/index.ts'
import { clearSurplus, countSurplusOf } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { countFailedJobs, deleteFailedJobs } from '#platform/jobs/counts.ts'

const AT_ONCE = 1000

/** What the nightly jobs delete in time, and `kith doctor --mend` at once. */
type Leftover = {
  /** What is said of them, after their number. */
  text: string
  count: (ctx: Context) => Promise<number>
  /** Deletes all in batches; answers how many. */
  clear: (ctx: Context) => Promise<number>
}

/** Of a large database it takes longer than any request may. */
const patiently = <T>({ sql }: Context, work: (tx: Tx) => Promise<T>) =>
  transaction(sql, async (tx) => {
    await tx`set local statement_timeout = 0`
    return work(tx)
  })

const LEFTOVERS: Leftover[] = [
  {
    text: 'jobs failed for good and are kept for a while',
    count: ({ sql }) => countFailedJobs(sql),
    async clear({ sql }) {
      let gone = 0
      for (let some = AT_ONCE; some === AT_ONCE; gone += some) some = await deleteFailedJobs(sql, 0, AT_ONCE)
      return gone
    },
  },
  {
    text: 'notifications are older or more than the settings keep',
    count: (ctx) => patiently(ctx, (tx) => countSurplusOf(ctx, tx)),
    clear: (ctx) => clearSurplus(ctx),
  },
  {
    text: 'settled requests to join groups are older than the settings keep',
    count: (ctx) => patiently(ctx, (tx) => countOldRequestsOf(ctx, tx)),
    clear: (ctx) => clearOldRequests(ctx),
  },
  {
    text: 'stored files belong to nothing and are older than a day',
    count: countLeftovers,
    clear: (ctx) => clearLeftovers(ctx),
  },
]

/** Prints what is left over and may go; with `mend` it goes. Nothing of it is wrong. */
export async function reportLeftovers(
  ctx: Context,
  { mend, print }: { mend: boolean; print: (line: string) => void },
): Promise<void> {
  for (const { text, count, clear } of LEFTOVERS) {
    const found = await count(ctx)
    if (found === 0) continue
    print(`· ${found} ${text}`)
    if (mend) print(`    deleted ${await clear(ctx)}`)
  }
}
