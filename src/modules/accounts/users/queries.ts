import type { StoredNode } from '#modules/files/index.ts'
import type { Db } from '#platform/database.ts'

export type UserRow = {
  id: number
  name: string
  bio: string | null
  sex: number
  location: string | null
  avatar: StoredNode | null
  bg: StoredNode | null
  verified: { type: string; icon: string | null; description: string | null } | null
  created_at: string
  updated_at: string
  following: boolean
  follower: boolean
  blacked: boolean
  likes_count: number
  comments_count: number
  followers_count: number
  followings_count: number
  feeds_count: number
  questions_count: number
  answers_count: number
  checkin_count: number
  last_checkin_count: number
  counts_updated_at: string
}

/** People by ids with their counts and the viewer's relation to them, disabled accounts left out unless asked for. */
export const findUserRows = (sql: Db, ids: number[], viewerId: number, withDisabled: boolean) => sql<
  UserRow[]
>`
  select u.id, u.name, u.bio, u.sex, u.location, u.avatar, u.bg, u.verified, u.created_at, u.updated_at,
    coalesce((select true from user_follows f where f.user_id = u.id and f.target_id = ${viewerId}), false) as following,
    coalesce((select true from user_follows f where f.user_id = ${viewerId} and f.target_id = u.id), false) as follower,
    coalesce((select true from user_blocks b where b.user_id = ${viewerId} and b.target_id = u.id), false) as blacked,
    c.likes_count, c.comments_count, c.followers_count, c.followings_count, c.feeds_count, c.questions_count,
    c.answers_count, c.checkin_count, c.last_checkin_count, c.updated_at as counts_updated_at
  from users u join user_counts c on c.user_id = u.id
  where u.id = any(${ids}) ${withDisabled ? sql`` : sql`and u.deleted_at is null`}`

/** Which of these people have blocked `userId`, who may then not follow, comment, like, mention or reward them. */
export async function findBlockers(sql: Db, userId: number, candidates: number[]): Promise<Set<number>> {
  if (candidates.length === 0) return new Set()
  const rows = await sql<{ user_id: number }[]>`
    select user_id from user_blocks where target_id = ${userId} and user_id = any(${candidates})`
  return new Set(rows.map((row) => row.user_id))
}
