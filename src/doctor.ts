import { accountCounters } from '#modules/accounts/index.ts'
import { checkinCounters } from '#modules/checkins/index.ts'
import { commentCounters } from '#modules/comments/index.ts'
import { likeCounters } from '#modules/likes/index.ts'
import { notificationCounters } from '#modules/notifications/index.ts'
import { anonymousLikes } from '#modules/questions/index.ts'
import { topicCounters } from '#modules/topics/index.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { type Sql, type Tx, transaction } from '#platform/database.ts'
import { listPendingMigrations } from '#platform/migrate.ts'
import { CONTENT_KINDS } from './content-kinds.ts'
import { MONEY_CHECKS } from './money-checks.ts'

/** Every counter of the modules, and the audit of the ledger. Where one is counted from another, that one comes first. */
export const COUNTERS: CounterCheck[] = [
  ...notificationCounters,
  ...accountCounters,
  ...checkinCounters,
  ...commentCounters,
  anonymousLikes,
  ...likeCounters,
  ...CONTENT_KINDS.flatMap(({ counters = [] }) => counters),
  ...topicCounters,
  ...MONEY_CHECKS,
]

const SHOWN = 10

/** Recounts and inspections of the whole database may take longer than any request. */
const patiently = <T>(sql: Sql, work: (tx: Tx) => Promise<T>) =>
  transaction(sql, async (tx) => {
    await tx`set local statement_timeout = 0`
    return work(tx)
  })

/** Constraints that old rows may break, and indexes whose building failed. */
async function findBrokenParts(sql: Sql): Promise<string[]> {
  const rows = await sql<{ fault: string }[]>`
    select 'constraint ' || conname || ' of ' || conrelid::regclass || ' is not validated' as fault
    from pg_constraint where not convalidated and connamespace = 'public'::regnamespace
    union all
    select 'index ' || indexrelid::regclass || ' is not valid'
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not (indisvalid and indisready) and c.relnamespace = 'public'::regnamespace
    order by 1`
  return rows.map((row) => row.fault)
}

/**
 * Examines the database and prints what it finds; with `mend` counters are set right. True when all is well in the end.
 */
export async function examine(
  sql: Sql,
  { mend, print }: { mend: boolean; print: (line: string) => void },
): Promise<boolean> {
  const pending = await listPendingMigrations(sql)
  if (pending.length > 0) {
    print(`${pending.length} migrations are to be applied: run \`kith migrate\` first.`)
    return false
  }
  const broken = await findBrokenParts(sql)
  for (const fault of broken) print(`✗ ${fault}`)
  let left = 0
  let wrong = 0
  for (const check of COUNTERS) {
    const found = await patiently(sql, (tx) => check.find(tx))
    if (found.length === 0) {
      print(`✓ ${check.name}`)
      continue
    }
    print(`✗ ${check.name}: ${found.length}${found.length === 100 ? ' or more' : ''} differ`)
    for (const { key, kept, counted } of found.slice(0, SHOWN))
      print(`    ${key}: kept ${kept}, counted ${counted}`)
    if (check.mendable === false) wrong += 1
    else if (mend) print(`    mended ${await patiently(sql, (tx) => check.mend(tx))}`)
    else left += 1
  }
  if (left > 0) print('Run `kith doctor --mend` to set the counters right.')
  if (wrong > 0) print('What differs in the ledger is not mended: docs/ledger.md says how to look into it.')
  return broken.length === 0 && left === 0 && wrong === 0
}
