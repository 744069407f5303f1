import { fenFor } from '#lib/money.ts'
import type { Settings } from '#modules/settings/index.ts'
import type { Tx } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { alreadyDecided, notEnoughAmount, notEnoughValue } from '../errors.ts'
import { move } from '../movements/service.ts'
import { type Movement, PLATFORM } from '../schema.ts'
import {
  closeWithdrawal,
  findWithdrawal,
  insertWithdrawal,
  type NewWithdrawal,
  type WithdrawalRow,
} from './queries.ts'
import type { CashBody } from './schema.ts'

const subjectOf = (id: number) => ({ type: 'withdrawals', id })

const tooLittle = (field: string, least: number) =>
  invalidField(field, {
    en: `The ${field} must be at least ${least}.`,
    zh: `${field} 不能小于 ${least}。`,
  })

async function request(tx: Tx, asked: NewWithdrawal, insufficient: () => Error): Promise<void> {
  const id = await insertWithdrawal(tx, asked)
  const { currency, amount, owner_id: from } = asked
  await move(
    tx,
    { currency, from, to: PLATFORM.escrow, amount, kind: 'withdrawal', subject: subjectOf(id) },
    insufficient,
  )
}

/** Asks for wallet money to be paid out; it leaves the balance at once. */
export async function withdrawMoney(
  tx: Tx,
  ownerId: number,
  { value, type, account }: CashBody,
  settings: Settings,
): Promise<void> {
  const least = settings['wallet:cash-min-amount']
  if (value < least) throw tooLittle('value', least)
  if (!settings['wallet:cash-types'].includes(type))
    throw invalidField('type', { en: 'This kind of account is not offered.', zh: '不支持该提现方式。' })
  await request(
    tx,
    { owner_id: ownerId, currency: 'wallet', amount: value, payout: value, type, account },
    notEnoughValue,
  )
}

/** Asks for points to become wallet money. Points that make no whole fen stay where they are. */
export async function withdrawPoints(
  tx: Tx,
  ownerId: number,
  amount: number,
  settings: Settings,
): Promise<void> {
  const [least, most] = [settings['currency:cash-min'], settings['currency:cash-max']]
  const ratio = settings['currency:recharge-ratio']
  const { fen, left } = fenFor(amount, ratio)
  if (amount < least || fen < 1) throw tooLittle('amount', Math.max(least, ratio))
  if (amount > most)
    throw invalidField('amount', {
      en: `The amount may not be greater than ${most}.`,
      zh: `amount 不能大于 ${most}。`,
    })
  await request(
    tx,
    { owner_id: ownerId, currency: 'points', amount: amount - left, payout: fen, type: null, account: null },
    notEnoughAmount,
  )
}

function settlement(row: WithdrawalRow, passed: boolean): Movement[] {
  const { currency, amount, owner_id: owner, payout, id } = row
  const { escrow, issuance } = PLATFORM
  const held = { currency, amount, from: escrow, subject: subjectOf(id) }
  if (!passed) return [{ ...held, to: owner, kind: 'withdrawal:rejected' }]
  const paid: Movement = { ...held, to: issuance, kind: 'withdrawal:passed' }
  if (currency === 'wallet') return [paid]
  // With the ratio of the day on which it was asked for.
  return [paid, { ...paid, currency: 'wallet', from: issuance, to: owner, amount: payout }]
}

/** Decides a withdrawal, once: what was held is paid out, or given back. */
export async function decideWithdrawal(
  tx: Tx,
  id: number,
  { passed, remark, by }: { passed: boolean; remark: string | null; by: number },
): Promise<WithdrawalRow> {
  const row = await closeWithdrawal(tx, id, { state: passed ? 'passed' : 'rejected', remark, by })
  if (!row) throw (await findWithdrawal(tx, id)) ? alreadyDecided() : notFound()
  await move(tx, settlement(row, passed))
  return row
}
