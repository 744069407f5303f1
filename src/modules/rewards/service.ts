import type { Content, Counts, Target } from '#contracts/content.ts'
import { wireTime } from '#lib/time.ts'
import { findBlockers, isUser, userViews } from '#modules/accounts/index.ts'
import { featureOff, mapNotEnough } from '#modules/ledger/index.ts'
import { notify, type SystemType } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { blocked, notFound } from '#platform/errors.ts'
import { insertReward, listRewards, type RewardRow } from './queries.ts'
import { ownerGone, type Reward, toOneself } from './schema.ts'

/** Rewards with their givers, in the order of the rows. A reward never changes. */
export async function withGivers(ctx: Context, rows: RewardRow[], viewerId: number): Promise<Reward[]> {
  const givers = rows.map((row) => row.user_id)
  const users = await userViews(ctx, ctx.sql, givers, viewerId)
  return rows.map((row) => {
    const created_at = wireTime(row.created_at)
    return { ...row, created_at, updated_at: created_at, user: users.get(row.user_id) ?? null }
  })
}

/** The newest rewards of a piece of content, for previews. */
export const latestRewards = async (
  ctx: Context,
  { type, contentId, limit, viewerId }: { type: string; contentId: number; limit: number; viewerId: number },
): Promise<Reward[]> => withGivers(ctx, await listRewards(ctx.sql, type, contentId, { limit }), viewerId)

/** Notification type for the owner of content. */
export type RewardNotice = SystemType

type Switch = 'site:reward' | 'feed:reward'

/** The checks before those of the body: 403 while switched off, 422 for oneself, 403 when blocked. */
export async function admitGiver(
  ctx: Context,
  giverId: number,
  target: Target,
  switches: Switch[],
): Promise<void> {
  const settings = await readSettings(ctx)
  if (switches.some((name) => !settings[name])) throw featureOff()
  if (target.ownerId === giverId) throw toOneself()
  // A block by a hidden owner would reveal them.
  if (target.hidden) return
  if ((await findBlockers(ctx.sql, giverId, [target.ownerId])).size > 0) throw blocked()
}

/** Pays points to the owner of content and notifies them. */
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
  const { id: contentId, ownerId: to, hidden = false, closed = false } = target
  const id = await mapNotEnough(
    insertReward(tx, content, count, { contentId, from, to, amount, hidden }),
    poor,
  )
  if (id === undefined) throw (await isUser(tx, to)) ? notFound() : ownerGone()
  await notify(tx, {
    type: 'system',
    recipients: [to],
    hidesRecipients: hidden || closed,
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
