import { findBlockers, isUser } from '#modules/accounts/index.ts'
import { switchedOff, withFunds } from '#modules/ledger/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Content, Counts, Target } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database.ts'
import { blocked, notFound } from '#platform/errors.ts'
import { ownerGone, toOneself } from './errors.ts'
import { insertReward } from './queries.ts'

/** What the owner of content is told. */
export type RewardNotice = SystemType

type Switch = 'site:reward' | 'feed:reward'

/** The checks that come before the body's: 403 on a switch, 422 for oneself, 403 for who is blocked. */
export async function admitGiver(
  ctx: Context,
  giverId: number,
  target: Target,
  switches: Switch[],
): Promise<void> {
  const settings = await readSettings(ctx)
  if (switches.some((name) => !settings[name])) throw switchedOff()
  if (target.ownerId === giverId) throw toOneself()
  // Whom an unknown owner blocks would tell who that is.
  if (target.hidden) return
  if ((await findBlockers(ctx.sql, giverId, [target.ownerId])).size > 0) throw blocked()
}

/** Gives points to the owner of content, who is told. */
export async function give(
  tx: Tx,
  content: Content,
  target: Target,
  {
    from,
    amount,
    notice,
    count,
    poor,
  }: { from: number; amount: number; notice: RewardNotice; count?: Counts; poor?: () => Error },
): Promise<void> {
  const { id: contentId, ownerId: to, hidden = false } = target
  const id = await withFunds(insertReward(tx, content, count, { contentId, from, to, amount, hidden }), poor)
  if (id === undefined) throw (await isUser(tx, to)) ? notFound() : ownerGone()
  await notify(tx, {
    type: 'system',
    recipients: [to],
    senderId: from,
    cause: { type: 'rewards', id },
    data: {
      type: notice,
      amount,
      resource: { type: content.type, id: contentId },
      [content.param]: { id: contentId },
    },
  })
}
