import { wireTime } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import { blocksSomebody } from '../blocks/queries.ts'
import { followsViewer, isFollowedByViewer } from '../follows/queries.ts'
import type { UserView, UserWithUrls } from '../schema.ts'
import { findUserRows, type UserRow } from './queries.ts'

/** What of people depends on who asks. Who blocks somebody is shown other lists, and `blacked`. */
export const peopleOverlay = overlayOf({
  flags: { following: followsViewer, follower: isFollowedByViewer },
  unless: [blocksSomebody],
})

/** A row as clients get it. */
export function userView(ctx: Context, row: UserRow): UserView {
  return {
    id: row.id,
    name: row.name,
    bio: row.bio,
    sex: row.sex,
    location: row.location,
    avatar: attachmentView(ctx, row.avatar),
    bg: attachmentView(ctx, row.bg),
    verified: row.verified,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    following: row.following,
    follower: row.follower,
    blacked: row.blacked,
    extra: {
      user_id: row.id,
      likes_count: row.likes_count,
      comments_count: row.comments_count,
      followers_count: row.followers_count,
      followings_count: row.followings_count,
      feeds_count: row.feeds_count,
      questions_count: row.questions_count,
      answers_count: row.answers_count,
      checkin_count: row.checkin_count,
      last_checkin_count: row.last_checkin_count,
      updated_at: wireTime(row.counts_updated_at),
    },
  }
}

/**
 * People by id, in one query whatever their number. A disabled or unknown id is absent from the map: content shows
 * `user: null` (conventions-25).
 */
export async function userViews(
  ctx: Context,
  sql: Db,
  ids: Iterable<number>,
  viewerId: number,
): Promise<Map<number, UserView>> {
  const distinct = [...new Set(ids)].filter((id) => id > 0)
  if (distinct.length === 0) return new Map()
  const rows = await findUserRows(sql, distinct, viewerId, false)
  return new Map(rows.map((row) => [row.id, userView(ctx, row)]))
}

/** A page of people in the order of its ids; whoever was disabled meanwhile is left out. */
export async function userPage(ctx: Context, ids: number[], viewerId: number): Promise<UserView[]> {
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id) => users.get(id) ?? [])
}

/** The form of likes and chat members, where pictures are addresses (sign-in-11). */
export const withUrls = (user: UserView): UserWithUrls => ({
  ...user,
  avatar: user.avatar?.url ?? null,
  bg: user.bg?.url ?? null,
})
