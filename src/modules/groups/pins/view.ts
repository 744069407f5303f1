import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { postsById } from '../posts/view.ts'
import type { AddressedPin } from './queries.ts'
import type { GroupPin } from './schema.ts'

const STATUS = { pending: 0, active: 1, expired: 1, rejected: 2, cancelled: 2 }

/** Requests with who asks and what is to be pinned. */
export async function pinViews(
  ctx: Context,
  pins: AddressedPin[],
  channel: 'post' | 'comment',
  viewerId: number,
): Promise<GroupPin[]> {
  const all = (of: (pin: AddressedPin) => number) => [...new Set(pins.map(of))]
  const isComment = channel === 'comment'
  const postOf = (pin: AddressedPin) => (isComment ? pin.thing_id : pin.target_id)
  const [users, posts, comments] = await Promise.all([
    userViews(
      ctx,
      ctx.sql,
      all((pin) => pin.user_id),
      viewerId,
    ),
    postsById(ctx, all(postOf), viewerId),
    commentViews(ctx, isComment ? all((pin) => pin.target_id) : [], viewerId),
  ])
  return pins.map((pin) => ({
    id: pin.id,
    channel,
    raw: isComment ? pin.thing_id : 0,
    target: pin.target_id,
    user_id: pin.user_id,
    target_user: pin.decider_id,
    amount: pin.amount,
    day: pin.day,
    status: STATUS[pin.state],
    state: pin.state,
    expires_at: wireTimeOrNull(pin.expires_at),
    created_at: wireTime(pin.created_at),
    updated_at: wireTime(pin.updated_at),
    user: users.get(pin.user_id) ?? null,
    post: posts.get(postOf(pin)) ?? null,
    comment: (isComment ? comments.get(pin.target_id) : undefined) ?? null,
  }))
}
