import { isAmount, pointsFor } from '#lib/money.ts'
import type { Settings } from '#modules/settings/index.ts'
import type { Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { notEnoughAmount, ownAccount, tooMuch, unknownPerson } from '../errors.ts'
import { move } from '../movements/service.ts'
import type { People } from '../people.ts'
import { PLATFORM } from '../schema.ts'
import type { TransferBody } from './schema.ts'

/** Pays wallet money to somebody else. */
export async function transfer(
  tx: Tx,
  from: number,
  { user: to, amount }: TransferBody,
  people: Pick<People, 'isUser'>,
): Promise<void> {
  if (to === from) throw ownAccount()
  if (!(await people.isUser(tx, to))) throw unknownPerson()
  const subject = { type: 'users', id: to }
  await move(tx, { currency: 'wallet', from, to, amount, kind: 'transfer', subject }, notEnoughAmount)
}

/** Turns wallet money into points. */
export async function transform(tx: Tx, ownerId: number, amount: number, settings: Settings): Promise<void> {
  const minimum = settings['currency:recharge-min']
  if (amount < minimum)
    throw invalidField('amount', {
      en: `The amount must be at least ${minimum}.`,
      zh: `金额不能小于 ${minimum}。`,
    })
  const points = pointsFor(amount, settings['currency:recharge-ratio'])
  if (!isAmount(points)) throw tooMuch()
  const { issuance } = PLATFORM
  const exchange = { kind: 'transform' as const, subject: { type: 'users', id: ownerId } }
  await move(
    tx,
    [
      { ...exchange, currency: 'wallet', from: ownerId, to: issuance, amount },
      { ...exchange, currency: 'points', from: issuance, to: ownerId, amount: points },
    ],
    notEnoughAmount,
  )
}
