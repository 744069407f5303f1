import { move, PLATFORM } from '#modules/ledger/index.ts'
import { notify, publishEvent, takeBack } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { addJob } from '#platform/jobs.ts'
import { noSuchGroup } from '../errors.ts'
import { closeRequests } from '../members/queries.ts'
import { REQUESTS } from '../members/schema.ts'
import { addToTotal, markDeleted, setAudit } from '../queries.ts'
import { GROUPS } from '../schema.ts'

export const auditedAlready = apiError(
  422,
  'group_audited_already',
  'The group is in this state already.',
  '圈子已处于该状态。',
)

/** Lets a group pass or rejects it, in the caller's transaction; its founder is told. */
export async function auditGroup(tx: Tx, id: number, audit: 1 | 2): Promise<void> {
  const changed = await setAudit(tx, id, audit)
  if (!changed) throw auditedAlready()
  if (audit === 1) await addToTotal(tx, 1)
  else if (changed.was === 1) await addToTotal(tx, -1)
  await notify(tx, {
    type: 'system',
    recipients: [changed.founder],
    senderId: 0,
    cause: { type: GROUPS, id },
    data: {
      type: 'group:audit',
      state: audit === 1 ? 'passed' : 'rejected',
      resource: { type: GROUPS, id },
      group: { id, name: changed.name },
    },
  })
}

/** Makes a group disappear, in the caller's transaction: who waits gets the fee back, and a job clears the rest. */
export async function removeGroup(ctx: Context, tx: Tx, id: number): Promise<void> {
  const gone = await markDeleted(tx, id)
  if (!gone) throw noSuchGroup()
  if (gone.audit === 1) await addToTotal(tx, -1)
  const waiting = await closeRequests(tx, id)
  await move(
    tx,
    waiting.map(({ id: request, user_id, fee, currency }) => ({
      currency,
      from: PLATFORM.escrow,
      to: user_id,
      amount: fee,
      kind: 'membership:refunded',
      subject: { type: REQUESTS, id: request },
    })),
  )
  await takeBack(tx, { cause: { type: GROUPS, id } })
  await addJob(tx, 'remove_group', { id })
  await publishEvent(ctx, tx, 'group.deleted', { id })
}
