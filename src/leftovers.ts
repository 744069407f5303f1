import { clearLeftovers, countLeftovers } from '#modules/files/index.ts'
import { clearOldRequests, countOldRequestsOf } from '#modules/groups/index.ts'
import { clearSurplus, countSurplusOf } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database.ts'
import { countFailedJobs, deleteFailedJobs } from '#platform/jobs/counts.ts'

const AT_ONCE = 1000
/** So many stored files may be most of a small site's. */
const FEW = 100

/** How many there are, and why they are better left where they are. */
type Found = { count: number; doubt?: string }

/** What `kith doctor --mend` deletes at once. Nightly jobs delete all but stored files in time. */
type Leftover = {
  /** What is said of them, after their number. */
  text: string
  find: (ctx: Context) => Promise<Found>
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
    find: async ({ sql }) => ({ count: await countFailedJobs(sql) }),
    async clear({ sql }) {
      let gone = 0
      for (let some = AT_ONCE; some === AT_ONCE; gone += some) some = await deleteFailedJobs(sql, 0, AT_ONCE)
      return gone
    },
  },
  {
    text: 'notifications are older or more than the settings keep',
    find: (ctx) => patiently(ctx, async (tx) => ({ count: await countSurplusOf(ctx, tx) })),
    clear: (ctx) => clearSurplus(ctx),
  },
  {
    text: 'settled requests to join groups are older than the settings keep',
    find: (ctx) => patiently(ctx, async (tx) => ({ count: await countOldRequestsOf(ctx, tx) })),
    clear: (ctx) => clearOldRequests(ctx),
  },
  {
    text: 'stored files belong to nothing and are older than a day',
    async find(ctx) {
      const { left, stored } = await countLeftovers(ctx)
      const isMost = left > FEW && left > stored / 2
      return {
        count: left,
        ...(isMost ? { doubt: 'they are most of what is stored: is this their database?' } : {}),
      }
    },
    clear: (ctx) => clearLeftovers(ctx),
  },
]

/** Prints what is left over and may go; with `mend` it goes. Nothing of it is wrong. */
export async function reportLeftovers(
  ctx: Context,
  { mend, print }: { mend: boolean; print: (line: string) => void },
): Promise<void> {
  for (const { text, find, clear } of LEFTOVERS) {
    const { count, doubt } = await find(ctx)
    if (count === 0) continue
    print(`· ${count} ${text}`)
    if (mend) print(doubt === undefined ? `    deleted ${await clear(ctx)}` : `    not deleted: ${doubt}`)
  }
}
