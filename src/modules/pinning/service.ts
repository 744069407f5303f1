import { isUser } from '#modules/accounts/index.ts'
import { withFunds } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Db, Tx } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import {
  amountRequired,
  nobodyDecides,
  notEnoughForPin,
  notYours,
  pinDecided,
  pinnedAlready,
} from './errors.ts'
import type { PinKind } from './pin-kinds.ts'
import {
  cancelWhere,
  decidePin,
  expirePins,
  extendPin,
  findPin,
  hasOpenPin,
  insertPin,
  type PinRow,
} from './queries.ts'
import type { PinSubject } from './schema.ts'

/** 403 for who may not ask, 422 where nobody could decide. */
export async function admitApplicant(
  db: Db,
  applicantId: number,
  { authorId, deciderId }: PinSubject,
): Promise<void> {
  if (authorId !== applicantId) throw notYours()
  if (deciderId > 0 && deciderId !== applicantId && !(await isUser(db, deciderId))) throw nobodyDecides()
}

/** 422 on an open pin, which comes before the faults of a body; `writePin` finds out by itself. */
export async function refuseSecondPin(db: Db, channel: string, { targetId }: PinSubject): Promise<void> {
  if (await hasOpenPin(db, channel, targetId)) throw pinnedAlready()
}

/**
 * Writes a pin; its price goes into escrow. Who decides pins their own at once and pays nothing. Called where the open
 * pin of the same target may have ended without being tidied.
 */
async function writePin(
  db: Db,
  kind: PinKind,
  subject: PinSubject,
  pin: { userId: number; amount: number; day: number; activeBy: number | null },
): Promise<number> {
  const alive = db`${kind.alive(db, subject)} for share`
  const write = () =>
    withFunds(insertPin(db, alive, { ...subject, channel: kind.channel, ...pin }), notEnoughForPin)
  let made = await write()
  if (made.alive && made.id === null) {
    if ((await expirePins(db, { channel: kind.channel, targetId: subject.targetId })) > 0)
      made = await write()
  }
  if (!made.alive) throw notFound()
  if (made.id === null) throw pinnedAlready()
  return made.id
}

/** Asks for a pin. Answers whether it is pinned at once. */
export async function applyForPin(
  db: Db,
  kind: PinKind,
  subject: PinSubject,
  { amount, day }: { amount?: number; day: number },
): Promise<boolean> {
  const { authorId: userId, deciderId } = subject
  const own = deciderId === userId
  if (amount === undefined && !own) throw amountRequired()
  await writePin(db, kind, subject, {
    userId,
    amount: own ? 0 : (amount ?? 0),
    day,
    activeBy: own ? userId : null,
  })
  return own
}

/** Accepts or rejects a pin, once, and tells who asked; `handled` is thrown when somebody else was faster. */
export async function settlePin(
  tx: Tx,
  kind: PinKind,
  id: number,
  { accept, by, handled = pinDecided }: { accept: boolean; by: number; handled?: () => Error },
): Promise<PinRow> {
  const pin = await decidePin(tx, id, { accept, by })
  if (!pin) throw handled()
  if (accept) await kind.onAccept?.(tx, pin)
  await tellPin(tx, kind, pin, accept ? 'passed' : 'rejected')
  return pin
}

/** Tells who asked what became of it; 0 as the sender is the site. */
async function tellPin(
  tx: Tx,
  kind: PinKind,
  pin: PinRow,
  state: 'passed' | 'rejected' | 'admin',
  senderId = pin.decider_id,
): Promise<void> {
  await notify(tx, {
    type: 'system',
    recipients: [pin.user_id],
    senderId,
    cause: { type: 'pins', id: pin.id },
    data: { ...(await kind.notice(tx, pin)), state },
  })
}

/**
 * Pins something without a request and for nothing, or lets its pin last longer. A request that waits has to be decided
 * instead.
 */
export async function pinForFree(
  tx: Tx,
  kind: PinKind,
  subject: PinSubject,
  { day, by }: { day: number; by: number },
): Promise<PinRow> {
  const extended = await extendPin(tx, kind.channel, subject.targetId, day)
  const id =
    extended ??
    (await writePin(tx, kind, subject, { userId: subject.authorId, amount: 0, day, activeBy: by }))
  const pin = await findPin(tx, id)
  if (!pin) throw notFound()
  await tellPin(tx, kind, pin, 'admin', subject.deciderId)
  return pin
}

/**
 * Cancels what waits under content that is being deleted, in the transaction that deletes it: the pins of these channels
 * whose price is in escrow. Those that are shown stay, and show again when it is restored.
 */
export const cancelPinsOfContent = (tx: Tx, channels: string[], contentId: number): Promise<number> =>
  cancelWhere(tx, tx`p.thing_id = ${contentId} and p.channel = any(${channels}) and p.state = 'pending'`)

/** Cancels the open pin of something that is being deleted for good; what waited is given back, what was shown is not. */
export const cancelPinOfTarget = (tx: Tx, channel: string, targetId: number): Promise<number> =>
  cancelWhere(
    tx,
    tx`p.channel = ${channel} and p.target_id = ${targetId} and p.state in ('pending', 'active')`,
  )

/** Cancels one pin, waiting or shown. */
export const cancelPin = (tx: Tx, id: number): Promise<number> =>
  cancelWhere(tx, tx`p.id = ${id} and p.state in ('pending', 'active')`)

/** Cancels what somebody asked to pin and what waits for their decision; whoever paid has it back. */
export const cancelPinsOfPerson = (tx: Tx, userId: number): Promise<number> =>
  cancelWhere(tx, tx`p.state = 'pending' and (p.user_id = ${userId} or p.decider_id = ${userId})`)
