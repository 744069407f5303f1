import { setHolds } from '#modules/ledger/index.ts'
import type { Tx } from '#platform/database.ts'
import type { Batch } from '#platform/database-import/table.ts'
import { EPOCH, TIME_COLUMNS } from '#platform/database-import/times.ts'
import { assignIds, upsert } from '#platform/database-import/write.ts'

const DAYS_MAX = 365

export type State = 'pending' | 'active' | 'expired' | 'rejected' | 'cancelled'

/** A pin as each of the three tables tells it. */
export type Pin = {
  row: object
  sourceId: number
  channel: string
  /** The kind of what is pinned, and of what it stands in. */
  kinds: { target: string; content: string }
  targetId: number
  /** Where it stands; undefined where what is pinned tells that. */
  contentId: number
  userId: number
  deciderId: number
  amount: number
  day: number
  state: State
  expiresAt: string | null
  createdAt: string | null
  updatedAt: string | null
}

const COLUMNS = {
  id: 'bigint',
  channel: 'text',
  thing_id: 'bigint',
  target_id: 'bigint',
  user_id: 'bigint',
  decider_id: 'bigint',
  amount: 'bigint',
  day: 'int',
  state: 'text',
  expires_at: 'timestamptz',
  decided_by: 'bigint',
  decided_at: 'timestamptz',
  ...TIME_COLUMNS,
  settled_before: 'boolean',
}

/** Which of these targets have an open pin that came from another row. */
async function findOpen(tx: Tx, pins: Pin[], ids: number[]): Promise<Set<string>> {
  const rows = await tx<{ same: string }[]>`
    select channel || ' ' || target_id as same from pins
    where state in ('pending', 'active') and channel = any(${[...new Set(pins.map(({ channel }) => channel))]})
      and target_id = any(${pins.map(({ targetId }) => targetId)}) and not id = any(${ids})`
  return new Set(rows.map(({ same }) => same))
}

/** Writes pins of one table of the source, with what is paid for them held or given back. */
export async function writePins(tx: Tx, table: string, pins: Pin[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    pins.flatMap(({ userId, deciderId }) => [userId, deciderId]),
  )
  const found = new Map<string, Map<number, number>>()
  for (const kind of new Set(pins.flatMap(({ kinds }) => [kinds.target, kinds.content])))
    found.set(
      kind,
      await batch.find(
        kind,
        pins.flatMap((pin) => [
          ...(pin.kinds.target === kind ? [pin.targetId] : []),
          ...(pin.kinds.content === kind ? [pin.contentId] : []),
        ]),
      ),
    )
  const kept = pins.filter((pin) => {
    if (!people.has(pin.userId)) batch.leaveOut(pin.row, 'the person is gone')
    else if (pin.amount < 0) batch.leaveOut(pin.row, 'a price below nothing')
    else return true
    return false
  })
  const ids = await assignIds(
    tx,
    table,
    'pins',
    kept.map(({ sourceId }) => sourceId),
  )
  const open = await findOpen(tx, kept, [...ids.values()])
  const refund = batch.options.waiting === 'refund'
  const holds = []
  const rows = []
  for (const pin of kept) {
    const id = ids.get(pin.sourceId) ?? 0
    const same = `${pin.channel} ${pin.targetId}`
    const there =
      found.get(pin.kinds.target)?.has(pin.targetId) && found.get(pin.kinds.content)?.has(pin.contentId)
    let { state } = pin
    const waits = state === 'pending'
    if (waits && !there) {
      state = 'cancelled'
      batch.mend(pin.row, 'waited for a decision on what is gone: cancelled, its price was given back there')
    } else if ((waits || state === 'active') && open.has(same)) {
      state = 'cancelled'
      batch.mend(pin.row, 'a second open pin of the same: cancelled')
    } else if (state === 'active' && !there) {
      state = 'cancelled'
      batch.mend(pin.row, 'of what is gone: cancelled')
    }
    if (state === 'pending' && refund) {
      state = 'cancelled'
      batch.mend(pin.row, 'given back when the site moved')
    }
    if (state === 'pending' || state === 'active') open.add(same)
    // Paid there and not settled: it is in escrow here, or given back.
    if (waits && there && pin.amount > 0)
      holds.push({
        subjectId: id,
        ownerId: pin.userId,
        currency: 'points' as const,
        amount: pin.amount,
        kind: 'pin' as const,
        refundKind: 'pin:refunded' as const,
        // A second open one was paid for as well, and no pin here can wait for it.
        givenBack: state !== 'pending',
      })
    const updated = pin.updatedAt ?? pin.createdAt ?? EPOCH
    rows.push({
      id,
      channel: pin.channel,
      thing_id: pin.contentId,
      target_id: pin.targetId,
      user_id: pin.userId,
      decider_id: people.has(pin.deciderId) ? pin.deciderId : 0,
      amount: pin.amount,
      day: Math.min(Math.max(pin.day, 1), DAYS_MAX),
      state,
      expires_at: state === 'active' || state === 'expired' ? pin.expiresAt : null,
      decided_by: state === 'active' || state === 'rejected' ? pin.deciderId : null,
      decided_at: state === 'active' || state === 'expired' || state === 'rejected' ? updated : null,
      created_at: pin.createdAt ?? EPOCH,
      updated_at: updated,
      settled_before: state !== 'pending' || pin.amount === 0,
    })
  }
  // One may end and another begin in the same batch.
  const ended = rows.filter(({ state }) => state !== 'pending' && state !== 'active')
  const opened = rows.filter(({ state }) => state === 'pending' || state === 'active')
  await upsert(tx, 'pins', COLUMNS, ended)
  await upsert(tx, 'pins', COLUMNS, opened)
  await setHolds(
    tx,
    'pins',
    rows.map(({ id }) => id),
    holds,
  )
}
