import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkPaymentPassword, isUser } from '#modules/accounts/index.ts'
import { notEnoughFor, withFunds } from '#modules/ledger/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Fragment, Tx } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { payerOf, viewerOf } from '#platform/http.ts'
import { nobodyDecides, noLongerWaiting, notYours, pinnedAlready } from './errors.ts'
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
import type { PinBody, PinSubject } from './schema.ts'

/** One kind of pins. */
export type PinKind = {
  /** Such as `feed` or `feed:comment`. */
  channel: string
  /** `select id from … where …` of what is pinned, if it is not deleted; locked here, so that it stays. */
  alive(sql: Db, subject: PinSubject): Fragment
  /** What the applicant is told about when it is decided. */
  notice(
    sql: Db,
    pin: PinRow,
  ): Promise<{ type: SystemType; resource: { type: string; id: number }; [name: string]: unknown }>
}

/** What comes before asking: 403 on the password and for who may not ask, 422 where nobody could decide. */
export async function admitApplicant(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { authorId, deciderId }: PinSubject,
): Promise<void> {
  const { id } = viewerOf(request)
  await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
  if (authorId !== id) throw notYours()
  if (deciderId > 0 && deciderId !== id && !(await isUser(ctx.sql, deciderId))) throw nobodyDecides()
}

/** 422 on an open pin, which comes before the faults of a body; `writePin` finds out by itself. */
export async function refuseSecondPin(db: Db, channel: string, { targetId }: PinSubject): Promise<void> {
  if (await hasOpenPin(db, channel, targetId)) throw pinnedAlready()
}

/**
 * Writes a pin; its price goes into escrow. Who decides pins their own at once and pays nothing. Called where the open
 * pin of the same target may have ended without being tidied.
 */
export async function writePin(
  db: Db,
  kind: PinKind,
  subject: PinSubject,
  pin: { userId: number; amount: number; day: number; activeBy: number | null },
): Promise<number> {
  const write = () =>
    withFunds(
      insertPin(db, sql(db, kind, subject), { ...subject, channel: kind.channel, ...pin }),
      notEnoughFor('amount'),
    )
  let made = await write()
  if (made.alive && made.id === null) {
    if ((await expirePins(db, { channel: kind.channel, targetId: subject.targetId })) > 0)
      made = await write()
  }
  if (!made.alive) throw notFound()
  if (made.id === null) throw pinnedAlready()
  return made.id
}

const sql = (db: Db, kind: PinKind, subject: PinSubject) => db`${kind.alive(db, subject)} for share`

/** Asks for a pin. Answers whether it is pinned at once. */
export async function applyForPin(
  db: Db,
  kind: PinKind,
  subject: PinSubject,
  { amount, day }: PinBody,
): Promise<boolean> {
  const { authorId: userId, deciderId } = subject
  const own = deciderId === userId
  await writePin(db, kind, subject, { userId, amount: own ? 0 : amount, day, activeBy: own ? userId : null })
  return own
}

/** Accepts or rejects a pin, once, and tells who asked; `handled` is the status when somebody else was faster. */
export async function settlePin(
  tx: Tx,
  kind: PinKind,
  id: number,
  decision: { accept: boolean; by: number; handled: 403 | 422 },
): Promise<PinRow> {
  const pin = await decidePin(tx, id, decision)
  if (!pin) throw noLongerWaiting(decision.handled)
  await tellPin(tx, kind, pin, decision.accept ? 'passed' : 'rejected')
  return pin
}

/** Tells who asked what became of it; 0 as the sender is the site. */
export async function tellPin(
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
 * Cancels what waits under a thing that is being deleted, in the transaction that deletes it: the pins of these channels
 * whose price is in escrow. Those that are shown stay, and show again when the thing is restored.
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
