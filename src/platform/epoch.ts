import { randomBytes } from 'node:crypto'
import { type Context, defineState } from './context.ts'
import {
  announce,
  type Db,
  type Fragment,
  logFailure,
  type Row,
  type Sql,
  type Tx,
  transaction,
} from './database/index.ts'

const SIGNAL = 'site-epoch'

/** Epochs begin with a letter, so that an event id with an epoch is unambiguous. */
export const EPOCH_PATTERN = 'e[0-9a-f]{8}'
const createName = () => `e${randomBytes(4).toString('hex')}`

type Place = Row<
  'site_epoch',
  'system_identifier' | 'database_oid' | 'table_oid' | 'timeline' | 'is_synchronous'
>

export type EpochState = Row<'site_epoch', 'name' | 'began_at' | 'reason'> & {
  /** Whether the database is the one that a server last recorded. */
  isHere: boolean
  /** False where PostgreSQL hides the identifier of the cluster from the database role. */
  isIdentified: boolean
  /** Whether a chat message has a position that no transaction has reached. */
  isAhead: boolean
}

const isSynchronous = (sql: Db): Fragment => sql`
  (current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local'))`

/** Reads the place over one connection, because a failover may move the next statement to another server. */
async function findPlace(tx: Tx): Promise<Place> {
  const [may] = await tx<[{ identify: boolean; locate: boolean }]>`
    select has_function_privilege('pg_control_system()', 'execute') as identify,
      has_function_privilege('pg_walfile_name(pg_lsn)', 'execute') as locate`
  const identifier = may.identify
    ? tx`(select system_identifier::text from pg_control_system())`
    : tx`null::text`
  const timeline = may.locate
    ? tx`('x' || lpad(left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), 16, '0'))::bit(64)::bigint`
    : tx`null::bigint`
  const [place] = await tx<[Place]>`
    select ${identifier} as system_identifier, ${timeline} as timeline, ${isSynchronous(tx)} as is_synchronous,
      (select oid::bigint from pg_database where datname = current_database()) as database_oid,
      'site_epoch'::regclass::oid::bigint as table_oid`
  return place
}

const isElsewhere = (sql: Db, place: Place): Fragment => sql`
  (e.database_oid <> ${place.database_oid}::bigint or e.table_oid <> ${place.table_oid}::bigint
    or e.system_identifier <> ${place.system_identifier}::text)`

/** Continues the positions after the newest message if the cluster has not reached its transaction id. */
const continuedOffset = (sql: Db): Fragment => sql`
  (select case when m.newest >= pg_snapshot_xmax(s)::text::bigint + e.tx_offset
    then m.newest + 1 - pg_snapshot_xmin(s)::text::bigint else e.tx_offset end
  from pg_current_snapshot() as s, (select coalesce(max(tx_id), 0) as newest from chat_messages) m)`

/** Writes nothing while the place is the same, so that a missing synchronous standby does not delay the check. */
const savePlace = (sql: Db, place: Place) => sql`
  update site_epoch e set system_identifier = p.system_identifier, database_oid = p.database_oid,
    table_oid = p.table_oid, timeline = p.timeline, is_synchronous = p.is_synchronous
  from (values (coalesce(${place.system_identifier}, (select system_identifier from site_epoch)),
    ${place.database_oid}::bigint, ${place.table_oid}::bigint,
    coalesce(${place.timeline}::bigint, (select timeline from site_epoch)), ${place.is_synchronous}::boolean))
    as p (system_identifier, database_oid, table_oid, timeline, is_synchronous)
  where (e.system_identifier, e.database_oid, e.table_oid, e.timeline, e.is_synchronous) is distinct from
    (p.system_identifier, p.database_oid, p.table_oid, p.timeline, p.is_synchronous)`

async function begin(tx: Tx, reason: string, when: Fragment): Promise<string | undefined> {
  const [begun] = await tx<{ name: string }[]>`
    update site_epoch e set name = ${createName()}, began_at = now(), reason = ${reason},
      tx_offset = ${continuedOffset(tx)}
    where ${when} returning name`
  if (begun) await announce(tx, SIGNAL, [begun.name])
  return begun?.name
}

/** Begins a new epoch, because an operator replaced the data. */
export const beginEpoch = (sql: Sql, reason: string): Promise<void> =>
  transaction(sql, async (tx) => {
    await begin(tx, reason, tx`true`)
    await savePlace(tx, await findPlace(tx))
  })

/**
 * Begins a new epoch if the data is in another database than recorded, or on a new timeline that may lack
 * acknowledged commits. Concurrent nodes begin one epoch, because the update locks the row.
 */
export const settleEpoch = (sql: Sql): Promise<string | undefined> =>
  transaction(sql, async (tx) => {
    const place = await findPlace(tx)
    const begun =
      (await begin(tx, 'the data moved to another database', isElsewhere(tx, place))) ??
      (await begin(
        tx,
        'a standby was promoted that may lack commits',
        tx`e.timeline <> ${place.timeline}::bigint and not e.is_synchronous`,
      ))
    await savePlace(tx, place)
    return begun
  })

async function findName(sql: Db): Promise<{ name: string; hasChanged: boolean }> {
  const [row] = await sql<[{ name: string; hasChanged: boolean }]>`
    select name, is_synchronous <> ${isSynchronous(sql)} as "hasChanged" from site_epoch`
  return row
}

/** Describes the epoch without a change, for `kith doctor`. */
export const examineEpoch = (sql: Sql): Promise<EpochState> =>
  transaction(sql, async (tx) => {
    const place = await findPlace(tx)
    const [state] = await tx<[EpochState]>`
      select name, began_at, reason, not coalesce(${isElsewhere(tx, place)}, false) as "isHere",
        ${place.system_identifier !== null} as "isIdentified",
        exists (select from chat_messages where tx_id >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint
          + e.tx_offset) as "isAhead"
      from site_epoch e`
    return state
  })

/** Epoch of this process. Reads and settles it again after each reconnect, because a failover may have lost commits. */
export const epochOf = defineState((ctx: Pick<Context, 'sql' | 'signals' | 'log' | 'state'>) => {
  const { sql, signals, log } = ctx
  const handlers: (() => void)[] = []
  let known: string | undefined
  let isUnsettled = false

  /** `isBegun` says that another process has just begun the epoch, so that it is new even to a process that knew none. */
  const learn = (name: string, isBegun = false) => {
    const isNew = known !== name && (known !== undefined || isBegun)
    known = name
    if (!isNew) return
    log.warn({ epoch: name }, 'a new epoch of the site began: caches are dropped and clients read again')
    for (const handler of handlers) handler()
  }
  const look = async (): Promise<string> => {
    const { name, hasChanged } = await findName(sql)
    const begun = hasChanged || isUnsettled ? await settleEpoch(sql) : undefined
    isUnsettled = false
    learn(begun ?? name)
    return begun ?? name
  }
  signals.on(SIGNAL, (name) => learn(name, true))
  signals.onReconnect(() => {
    isUnsettled = true
    look().catch((error) => logFailure(log, error, 'reading the epoch of the site failed'))
  })
  return {
    /** Returns the known name, or reads it first. */
    name: async () => known ?? look(),
    /** Reads the name, and records whether commits wait for a standby. */
    look,
    onChange: (handler: () => void) => void handlers.push(handler),
  }
})
