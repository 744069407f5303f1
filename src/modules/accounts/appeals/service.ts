import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database'
import type { CountAttempt } from '#platform/http'
import { lift } from '../sanctions/service.ts'
import { proveOutside } from '../sign-in/service.ts'
import { type AppealRow, findAppealable, insertAppeal, settleAppeal } from './queries.ts'
import {
  type Appeal,
  type AppealDecision,
  type AppealInput,
  appealDecided,
  appealOpen,
  nothingToAppeal,
  type OutsideAppealInput,
} from './schema.ts'

export const appealView = (row: AppealRow): Appeal => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  contents: row.contents,
  state: row.state,
  answer: row.answer,
  decided_by: row.decided_by,
  decided_at: wireTimeOrNull(row.decided_at),
  created_at: wireTime(row.created_at),
  sanction: {
    id: row.sanction_id,
    kind: row.kind,
    reason: row.reason,
    imposed_by: row.imposed_by,
    ends_at: wireTimeOrNull(row.ends_at),
    created_at: wireTime(row.imposed_at),
  },
})

/** Files an appeal against a sanction in force. A user has at most one open appeal (sign-in-28). */
export async function appeal(db: Db, userId: number, { sanction, contents }: AppealInput): Promise<number> {
  const sanctionId = await findAppealable(db, userId, sanction)
  if (sanctionId === undefined) throw nothingToAppeal()
  return onConstraint(insertAppeal(db, { sanctionId, userId, contents }), { appeals_open: appealOpen })
}

/** Files an appeal of a user who cannot sign in. */
export async function appealOutside(
  ctx: Context,
  countAttempt: CountAttempt,
  { contents, ...proof }: OutsideAppealInput,
): Promise<number> {
  const { id, hold } = await proveOutside(ctx, countAttempt, proof)
  return transaction(ctx.sql, async (tx) => {
    await hold(tx)
    return appeal(tx, id, { contents })
  })
}

/** Decides an appeal once. Acceptance lifts the sanction, unless it has ended (administration-17). */
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
