import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { mapNotEnough } from '#modules/ledger/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { isUser } from '#modules/users/index.ts'
import type { Db, Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'
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
import {
  amountRequired,
  nobodyDecides,
  notEnoughForPin,
  notYours,
  type PinSubject,
  pinDecided,
  pinnedAlready,
} from './schema.ts'

const STATE_NUMBERS = { pending: 0, active: 1, expired: 1, rejected: 2, cancelled: 2 }

export const pinStateNumber = (state: PinRow['state']): number => STATE_NUMBERS[state]

export const pinView = (pin: PinRow) => ({
  id: pin.id,
  user_id: pin.user_id,
  target_user: pin.decider_id,
  amount: pin.amount,
  day: pin.day,
  state: pin.state,
  expires_at: wireTimeOrNull(pin.expires_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

/** Throws 403 for users who may not request the pin, and 422 when the decider's account is deleted or disabled. */
export async function admitApplicant(
  db: Db,
  applicantId: number,
  { authorId, deciderId }: PinSubject,
): Promise<void> {
  if (authorId !== applicantId) throw notYours()
  if (deciderId > 0 && deciderId !== applicantId && !(await isUser(db, deciderId))) throw nobodyDecides()
}

/** Throws when the target has an open pin. */
export async function refuseSecondPin(db: Db, channel: string, { targetId }: PinSubject): Promise<void> {
  if (await hasOpenPin(db, channel, targetId)) throw pinnedAlready()
}

/** Inserts a pin. When an expired pin is still marked as active, marks it as expired and retries once. */
async function writePin(
  db: Db,
  kind: PinKind,
  subject: PinSubject,
  pin: { userId: number; amount: number; day: number; activeBy: number | null },
): Promise<number> {
  const alive = db`${kind.alive(db, subject)} for share`
  const write = () =>
    mapNotEnough(insertPin(db, alive, { ...subject, channel: kind.channel, ...pin }), notEnoughForPin)
  let created = await write()
  if (created.alive && created.id === null) {
    if ((await expirePins(db, { channel: kind.channel, targetId: subject.targetId })) > 0)
      created = await write()
  }
  if (!created.alive) throw notFound()
  if (created.id === null) throw pinnedAlready()
  return created.id
}

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

/** Decides a pin once and notifies the applicant. Throws `handled` when the pin is already decided. */
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
    hidesRecipients: await kind.hidesRecipients?.(tx, pin),
    cause: { type: 'pins', id: pin.id },
    data: { ...(await kind.notice(tx, pin)), state },
  })
}

/** Grants or extends a pin for free. Throws when the target has a pending pin request. */
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

/** Cancels and refunds pending pins of deleted content. Active pins stay and reappear on restoration. */
export const cancelPinsOfContent = (tx: Tx, channels: string[], contentId: number): Promise<number> =>
  cancelWhere(tx, tx`p.thing_id = ${contentId} and p.channel = any(${channels}) and p.state = 'pending'`)

/** Cancels the open pin of a target that cannot be restored. Refunds only a pending pin. */
export const cancelPinOfTarget = (tx: Tx, channel: string, targetId: number): Promise<number> =>
  cancelWhere(
    tx,
    tx`p.channel = ${channel} and p.target_id = ${targetId} and p.state in ('pending', 'active')`,
  )

export const cancelPin = (tx: Tx, id: number): Promise<number> =>
  cancelWhere(tx, tx`p.id = ${id} and p.state in ('pending', 'active')`)

/** Cancels and refunds pending pin requests that the user made or has to decide. */
export const cancelPinsOfPerson = (tx: Tx, userId: number): Promise<number> =>
  cancelWhere(tx, tx`p.state = 'pending' and (p.user_id = ${userId} or p.decider_id = ${userId})`)
