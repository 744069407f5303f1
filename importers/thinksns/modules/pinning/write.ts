import type { Tx } from '#platform/database'
import type { Batch } from '../../database/table.ts'
import { EPOCH, TIME_COLUMNS } from '../../database/times.ts'
import { assignIds, upsert } from '../../database/write.ts'
import { isTooLarge, noteImportedHolds, TOO_LARGE } from '../ledger/balances.ts'

const DAYS_MAX = 365

export type State = 'pending' | 'active' | 'expired' | 'rejected' | 'cancelled'

export type Pin = {
  row: object
  sourceId: number
  channel: string
  kinds: { target: string; content: string }
  targetId: number
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

async function findOpen(tx: Tx, pins: Pin[], ids: number[]): Promise<Set<string>> {
  const rows = await tx<{ same: string }[]>`
    select channel || ' ' || target_id as same from pins
    where state in ('pending', 'active') and channel = any(${[...new Set(pins.map(({ channel }) => channel))]})
      and target_id = any(${pins.map(({ targetId }) => targetId)}) and not id = any(${ids})`
  return new Set(rows.map(({ same }) => same))
}

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
    if (!people.has(pin.userId)) batch.leaveOut(pin.row, 'the user no longer exists')
    else if (isTooLarge(pin.amount)) batch.leaveOut(pin.row, TOO_LARGE, 'amount')
    else if (pin.amount < 0) batch.leaveOut(pin.row, 'the price is negative')
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
    if (pin.deciderId > 0 && !people.has(pin.deciderId))
      batch.mend(pin.row, 'the decider no longer exists', { column: 'target_user', new: 0 })
    let { state } = pin
    const waits = state === 'pending'
    if (waits && !there) {
      state = 'cancelled'
      batch.mend(pin.row, 'its content no longer exists: cancelled; the source already refunded it')
    } else if ((waits || state === 'active') && open.has(same)) {
      state = 'cancelled'
      batch.mend(pin.row, 'second open pin of the same content: cancelled')
    } else if (state === 'active' && !there) {
      state = 'cancelled'
      batch.mend(pin.row, 'its content no longer exists: cancelled')
    }
    if (state === 'pending' && refund) {
      state = 'cancelled'
      batch.mend(pin.row, 'refunded by the import')
    }
    if (state === 'pending' || state === 'active') open.add(same)
    if (waits && there && pin.amount > 0)
      holds.push({
        subjectId: id,
        ownerId: pin.userId,
        currency: 'points' as const,
        amount: pin.amount,
        kind: 'pin' as const,
        refundKind: 'pin:refunded' as const,
        // Refunds a second pending pin of a target, because Kith allows only one.
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
  // Writes ended pins first, because the index `pins_open` allows one open pin per target.
  const ended = rows.filter(({ state }) => state !== 'pending' && state !== 'active')
  const opened = rows.filter(({ state }) => state === 'pending' || state === 'active')
  await upsert(tx, 'pins', COLUMNS, ended)
  await upsert(tx, 'pins', COLUMNS, opened)
  await noteImportedHolds(
    tx,
    'pins',
    rows.map(({ id }) => id),
    holds,
  )
}
