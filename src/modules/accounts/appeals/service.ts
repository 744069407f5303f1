import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import type { CountAttempt } from '#platform/http.ts'
import { lift } from '../sanctions/service.ts'
import { prove } from '../sign-in/service.ts'
import { appealDecided, appealOpen, nothingToAppeal } from './errors.ts'
import { findAppealable, insertAppeal, settleAppeal } from './queries.ts'
import type { AppealDecision, AppealInput, OutsideAppealInput } from './schema.ts'

/** Appeals against what is in force; one at a time (sign-in-28). */
export async function appeal(db: Db, userId: number, { sanction, contents }: AppealInput): Promise<number> {
  const sanctionId = await findAppealable(db, userId, sanction)
  if (sanctionId === undefined) throw nothingToAppeal()
  return onConstraint(insertAppeal(db, { sanctionId, userId, contents }), { appeals_open: appealOpen })
}

/** The same for somebody who cannot sign in. */
export async function appealOutside(
  ctx: Context,
  countAttempt: CountAttempt,
  { contents, ...proof }: OutsideAppealInput,
): Promise<number> {
  const { id, hold } = await prove(ctx, countAttempt, proof)
  return transaction(ctx.sql, async (tx) => {
    await hold(tx)
    return appeal(tx, id, { contents })
  })
}

/** Decides on an appeal, once. Accepting lifts the sanction, unless it is over meanwhile (administration-17). */
export async function decideAppeal(
  ctx: Context,
  actor: Actor,
  id: number,
  { action, ...decision }: AppealDecision,
): Promise<void> {
  const answer = decision.answer ?? null
  const after = await transaction(ctx.sql, async (tx) => {
    const state = action === 'accept' ? 'accepted' : 'rejected'
    const settled = await settleAppeal(tx, id, { state, answer, by: actor.viewer.id })
    if (!settled) throw appealDecided()
    const { user_id: userId, sanction_id: sanction } = settled
    await recordAudit(tx, actor, {
      action: `appeals.${action}`,
      subjectType: 'users',
      subjectId: userId,
      after: { appeal: id, sanction, answer },
    })
    if (action === 'accept') return lift(ctx, tx, actor, sanction)
    await notify(tx, {
      type: 'system',
      recipients: [userId],
      senderId: 0,
      cause: { type: 'appeals', id },
      data: {
        type: 'sanction',
        state: 'rejected',
        ...(answer === null ? {} : { contents: answer }),
        resource: { type: 'users', id: userId },
      },
    })
    return undefined
  })
  after?.()
}
