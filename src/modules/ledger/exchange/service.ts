import { isAmount, pointsFor } from '#lib/money.ts'
import type { Settings } from '#modules/settings/index.ts'
import type { Tx } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import { notEnoughFor, tooMuch } from '../errors.ts'
import { move } from '../movements/service.ts'
import { PLATFORM } from '../schema.ts'
import { isPerson } from './queries.ts'
import type { TransferBody } from './schema.ts'

const toOneself = () =>
  invalidField('user', { en: 'You cannot pay yourself.', zh: '不能给自己转账。' }, 'own_account')
const unknownPerson = () =>
  invalidField('user', { en: 'There is no such person.', zh: '用户不存在。' }, 'no_such_user')

/** Pays wallet money to somebody else. */
export async function transfer(tx: Tx, from: number, { user: to, amount }: TransferBody): Promise<void> {
  if (to === from) throw toOneself()
  if (!(await isPerson(tx, to))) throw unknownPerson()
  const subject = { type: 'users', id: to }
  await move(tx, { currency: 'wallet', from, to, amount, kind: 'transfer', subject }, notEnoughFor('amount'))
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
    notEnoughFor('amount'),
  )
}
