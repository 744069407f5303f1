import { distinct } from '#lib/lists.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import { type PinRow, pinView } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { postsById } from '../posts/view.ts'
import type { GroupPin } from './schema.ts'

const STATUS = { pending: 0, active: 1, expired: 1, rejected: 2, cancelled: 2 }

/** Requests with who asks and what is to be pinned. */
export async function pinViews(
  ctx: Context,
  pins: PinRow[],
  channel: 'post' | 'comment',
  viewerId: number,
): Promise<GroupPin[]> {
  const isComment = channel === 'comment'
  const postOf = (pin: PinRow) => (isComment ? pin.thing_id : pin.target_id)
  const [users, posts, comments] = await Promise.all([
    userViews(ctx, ctx.sql, distinct(pins, 'user_id'), viewerId),
    postsById(ctx, distinct(pins, isComment ? 'thing_id' : 'target_id'), viewerId),
    commentViews(ctx, isComment ? distinct(pins, 'target_id') : [], viewerId),
  ])
  return pins.map((pin) => ({
    ...pinView(pin),
    channel,
    raw: isComment ? pin.thing_id : 0,
    target: pin.target_id,
    status: STATUS[pin.state],
    user: users.get(pin.user_id) ?? null,
    post: posts.get(postOf(pin)) ?? null,
    comment: (isComment ? comments.get(pin.target_id) : undefined) ?? null,
  }))
}
