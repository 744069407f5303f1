import { replaceRoles } from '#modules/abilities/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { addJob } from '#platform/jobs.ts'
import { findContacts } from '../alerts/queries.ts'
import { followFamous } from '../famous/queries.ts'
import { addLetter } from '../letters/service.ts'
import { saveDisabled } from '../passwords/queries.ts'
import { decideRequest, deleteNewcomer } from './queries.ts'

const REASON = { zh: '说明：', en: 'Reason: ' }
const withReason = (zh: string, en: string, remark: string | null) =>
  remark === null ? `${zh} ${en}` : `${zh}${REASON.zh}${remark} ${en} ${REASON.en}${remark}`

/** Somebody who decides, and what they say. */
type Decision = { decidedBy: number; remark: string | null }

/**
 * Lets a newcomer in who waits, by the request or by the account, and tells them; from here on they are like anybody who
 * registered. False where nobody waits.
 */
export async function admit(
  ctx: Context,
  tx: Tx,
  of: { id?: number; userId?: number },
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, of, { state: 'accepted', remark, decidedBy })
  if (!decided) return false
  const { user_id: id, name } = decided
  await saveDisabled(tx, id, false)
  await followFamous(tx, id)
  await addJob(tx, 'user_created', { id })
  await publishEvent(ctx, tx, 'user.created', { id, name })
  const contacts = await findContacts(tx, id)
  if (contacts)
    await addLetter(ctx, tx, contacts, {
      subject: '注册申请已通过 Your registration was accepted',
      text: withReason(
        '您的注册申请已通过，现在可以登录。',
        'Your registration was accepted. You can sign in now.',
        remark,
      ),
    })
  return true
}

/** Turns a newcomer away who waits, tells them, and frees their name, e-mail and phone. False where nobody waits. */
export async function turnAway(
  ctx: Context,
  tx: Tx,
  id: number,
  { decidedBy, remark }: Decision,
): Promise<boolean> {
  const decided = await decideRequest(tx, { id }, { state: 'rejected', remark, decidedBy })
  if (!decided) return false
  await replaceRoles(tx, decided.user_id, [])
  const contacts = await deleteNewcomer(tx, decided.user_id)
  if (contacts)
    await addLetter(ctx, tx, contacts, {
      subject: '注册申请未通过 Your registration was not accepted',
      text: withReason(
        '您的注册申请未通过，所填资料已删除。',
        'Your registration was not accepted, and what you entered was deleted.',
        remark,
      ),
    })
  return true
}
