import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import type { Db, Row, Tx } from '#platform/database'
import type { AnswerRow } from './answers/queries.ts'
import { bountyFixed, bountyTooHigh } from './errors.ts'
import { hasInvitations, type QuestionRow } from './queries.ts'
import { QUESTIONS } from './schema.ts'

const setBounty = (sql: Db, questionId: number, amount: number) => sql`
  update questions set amount = ${amount}, bounty = 'held', updated_at = now() where id = ${questionId}`

async function takeBounty(sql: Db, questionId: number): Promise<boolean> {
  const { count } = await sql`
    update questions set bounty = 'paid', updated_at = now() where id = ${questionId} and bounty = 'held'`
  return count > 0
}

/**
 * Adds the amount to the user's income in the ranking of experts, if the user is an expert of one of the
 * question's topics.
 */
const addExpertIncome = (sql: Db, questionId: number, userId: number, amount: number) => sql`
  update question_people set income = income + ${amount}
  where user_id = ${userId} and exists (
    select from question_topic_links l join question_topic_experts e on e.topic_id = l.topic_id
    where l.question_id = ${questionId} and e.user_id = ${userId}
  )`

const lockHeldBounties = (tx: Tx, userId: number) => tx<Row<'questions', 'id' | 'amount' | 'subject'>[]>`
  select id, amount, subject from questions where user_id = ${userId} and bounty = 'held' order by id for update`

/** Removes the bounty of questions and the options that require a bounty. */
const endBounties = (tx: Tx, ids: number[]) => tx`
  update questions set amount = 0, bounty = 'none', automaticity = false, look = false, updated_at = now()
  where id = any(${ids})`

export async function payBounty(
  tx: Tx,
  question: Pick<QuestionRow, 'id' | 'amount' | 'subject'>,
  answer: Pick<AnswerRow, 'user_id' | 'anonymity'>,
): Promise<void> {
  if (!(await takeBounty(tx, question.id))) return
  await moveFunds(tx, {
    currency: 'points',
    from: PLATFORM_ACCOUNTS.escrow,
    to: answer.user_id,
    amount: question.amount,
    kind: 'bounty:paid',
    subject: { type: QUESTIONS, id: question.id },
    body: question.subject,
  })
  if (!answer.anonymity) await addExpertIncome(tx, question.id, answer.user_id, question.amount)
}

/**
 * Replaces the bounty of a locked question and refunds the earlier bounty. Throws 403 after an adoption, after the
 * payment of the bounty, and for a question with both a bounty and invitations.
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
    from: PLATFORM_ACCOUNTS.escrow,
    to: owner,
    amount: question.amount,
    kind: 'bounty:refunded',
  } as const
  const away = { ...movement, from: owner, to: PLATFORM_ACCOUNTS.escrow, amount, kind: 'bounty' } as const
  await moveFunds(tx, bounty === 'held' ? [back, away] : away, bountyTooHigh)
}

/** Refunds unearned bounties of a deleted user, who can no longer adopt an answer. */
export async function returnBounties(tx: Tx, userId: number): Promise<void> {
  const held = await lockHeldBounties(tx, userId)
  await endBounties(
    tx,
    held.map(({ id }) => id),
  )
  await moveFunds(
    tx,
    held.map(({ id, amount, subject }) => ({
      currency: 'points' as const,
      from: PLATFORM_ACCOUNTS.escrow,
      to: userId,
      amount,
      kind: 'bounty:refunded' as const,
      subject: { type: QUESTIONS, id },
      body: subject,
    })),
  )
}
