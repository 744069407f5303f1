import { isAmount, pointsFor } from '#lib/money.ts'
import type { Settings } from '#modules/settings/index.ts'
import { onConstraint, type Tx } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { alreadyDecided, referenceUsed, tooMuch } from '../errors.ts'
import { move } from '../movements/service.ts'
import { type Currency, PLATFORM } from '../schema.ts'
import { findProvider } from './providers.ts'
import { closeRecharge, findRecharge, insertRecharge, type RechargeRow } from './queries.ts'
import type { RechargeBody } from './schema.ts'

const unknownType = () =>
  invalidField('type', { en: 'This way of paying is not offered.', zh: '不支持该充值方式。' })
/** Opens an order for a recharge, with what its provider tells the client. */
export async function beginRecharge(
  tx: Tx,
  ownerId: number,
  currency: Currency,
  { type, amount, extra = {} }: RechargeBody,
  settings: Settings,
): Promise<{ order: RechargeRow; charge: Record<string, unknown> }> {
  const provider = settings['wallet:recharge-types'].includes(type) ? findProvider(type) : undefined
  if (!provider) throw unknownType()
  if (currency === 'points') requireWithin(amount, settings)
  const credited = currency === 'points' ? pointsFor(amount, settings['currency:recharge-ratio']) : amount
  if (!isAmount(credited)) throw tooMuch()
  const order = await insertRecharge(tx, { owner_id: ownerId, currency, provider: type, amount, credited })
  return { order, charge: await provider.begin(order, extra) }
}

function requireWithin(amount: number, settings: Settings) {
  const [least, most] = [settings['currency:recharge-min'], settings['currency:recharge-max']]
  if (amount < least || amount > most)
    throw invalidField('amount', {
      en: `The amount must be from ${least} to ${most}.`,
      zh: `金额须在 ${least} 至 ${most} 之间。`,
    })
}

/**
 * Credits a recharge that was paid, once: by the state of the order, and by the provider's number of the payment,
 * which no other order can use.
 */
export async function confirmRecharge(
  tx: Tx,
  id: number,
  { reference, remark = null, by }: { reference: string; remark?: string | null; by: number },
): Promise<RechargeRow> {
  const order = await onConstraint(closeRecharge(tx, id, { state: 'confirmed', reference, remark, by }), {
    recharges_reference_used: referenceUsed,
  })
  if (!order) throw (await findRecharge(tx, id)) ? alreadyDecided() : notFound()
  await move(tx, {
    currency: order.currency,
    from: PLATFORM.issuance,
    to: order.owner_id,
    amount: order.credited,
    kind: 'recharge',
    subject: { type: 'recharges', id },
  })
  return order
}

/** Closes an order that was never paid. */
export async function rejectRecharge(
  tx: Tx,
  id: number,
  { remark, by }: { remark: string | null; by: number },
): Promise<RechargeRow> {
  const order = await closeRecharge(tx, id, { state: 'rejected', reference: null, remark, by })
  if (!order) throw (await findRecharge(tx, id)) ? alreadyDecided() : notFound()
  return order
}
