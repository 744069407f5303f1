import { move, PLATFORM } from '#modules/ledger/index.ts'
import type { Tx } from '#platform/database.ts'
import type { AnswerRow } from '../answers/queries.ts'
import { bountyFixed, bountyTooHigh } from '../errors.ts'
import { hasInvitations } from '../invitations/queries.ts'
import type { QuestionRow } from '../queries.ts'
import { QUESTIONS } from '../schema.ts'
import { addExpertIncome, endBounties, lockHeldBounties, setBounty, takeBounty } from './queries.ts'

/** Pays the held bounty of a locked question to who answered. A bounty is paid once, whatever else happens. */
export async function payBounty(
  tx: Tx,
  question: Pick<QuestionRow, 'id' | 'amount' | 'subject'>,
  answer: Pick<AnswerRow, 'user_id' | 'anonymity'>,
): Promise<void> {
  if (!(await takeBounty(tx, question.id))) return
  await move(tx, {
    currency: 'points',
    from: PLATFORM.escrow,
    to: answer.user_id,
    amount: question.amount,
    kind: 'bounty:paid',
    subject: { type: QUESTIONS, id: question.id },
    body: question.subject,
  })
  if (!answer.anonymity) await addExpertIncome(tx, question.id, answer.user_id, question.amount)
}

/**
 * Sets or changes the bounty of a held question: the earlier one goes back in the same movement. Not after
 * an adoption, and not when people were invited with the promise of it.
 */
export async function changeBounty(tx: Tx, question: QuestionRow, amount: number): Promise<void> {
  const { id, user_id: owner, status, bounty } = question
  if (status !== 0 || bounty === 'paid') throw bountyFixed()
  if (bounty === 'held' && (await hasInvitations(tx, id))) throw bountyFixed()
  if (amount === question.amount) return
  await setBounty(tx, id, amount)
  const movement = { currency: 'points', subject: { type: QUESTIONS, id }, body: question.subject } as const
  const back = {
    ...movement,
    from: PLATFORM.escrow,
    to: owner,
    amount: question.amount,
    kind: 'bounty:refunded',
  } as const
  const away = { ...movement, from: owner, to: PLATFORM.escrow, amount, kind: 'bounty' } as const
  await move(tx, bounty === 'held' ? [back, away] : away, bountyTooHigh)
}

/** Gives somebody who leaves their bounties back that nobody has earned: no answer can be adopted any more. */
export async function returnBounties(tx: Tx, userId: number): Promise<void> {
  const held = await lockHeldBounties(tx, userId)
  await endBounties(
    tx,
    held.map(({ id }) => id),
  )
  await move(
    tx,
    held.map(({ id, amount, subject }) => ({
      currency: 'points' as const,
      from: PLATFORM.escrow,
      to: userId,
      amount,
      kind: 'bounty:refunded' as const,
      subject: { type: QUESTIONS, id },
      body: subject,
    })),
  )
}
