import type { Content } from '#contracts/content.ts'
import { distinct } from '#lib/lists.ts'
import { wireTime } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { defineFragments } from '#platform/memory'
import {
  enabledUser,
  findFollows,
  findUserRows,
  findUserTexts,
  type UserRow,
  type UserTextRow,
  type ViewerState,
} from './queries.ts'
import type { UserView, UserWithUrls } from './schema.ts'

/** Fields of a user that are the same for every viewer, and therefore cacheable. */
type UserText = Omit<UserView, 'following' | 'follower' | 'blacked' | 'extra'>

const textsOf = defineFragments<UserText>()

const userText = (ctx: Context, row: UserTextRow): UserText => ({
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
})

type Relations = { followers: Set<number>; followings: Set<number> }

const relationsOf = defineFragments<Relations>()

/** Estimated bytes of a number in a set. */
const ID_BYTES = 40

const noRelations: Relations = { followers: new Set(), followings: new Set() }

/** Finds the followers and followings of the viewer, at least those among `ids`. */
async function findRelations(
  ctx: Context,
  sql: Db,
  viewerId: number,
  { ids, version }: { ids: number[]; version: string | null },
): Promise<Relations> {
  if (version === null) return noRelations
  const fragments = relationsOf(ctx)
  const known = fragments.get(viewerId, version)
  if (known) return known
  const found = await findFollows(sql, viewerId, ids)
  if (!found) return noRelations
  const relations = { followers: new Set(found.followers), followings: new Set(found.followings) }
  if (found.isComplete)
    fragments.set(
      viewerId,
      found.version,
      relations,
      (found.followers.length + found.followings.length) * ID_BYTES,
    )
  return relations
}

const userView = (
  text: UserText,
  row: UserRow,
  { followers, followings }: Relations,
  { blacked }: ViewerState,
): UserView => ({
  ...text,
  following: followers.has(row.id),
  follower: followings.has(row.id),
  blacked: blacked.includes(row.id),
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
})

/** Omits disabled and unknown users, so that their content has `user: null` (conventions-25). */
export const userViews = async (
  ctx: Context,
  sql: Db,
  ids: Iterable<number>,
  viewerId: number,
): Promise<Map<number, UserView>> => (await peopleFor(ctx, sql, ids, viewerId)).users

export type People = {
  users: Map<number, UserView>
  /** Users whom lists must not show to the viewer (relations-2). */
  hidden: Set<number>
  /** Users whom the viewer mutes. */
  muted: Set<number>
  /** Folded words that the viewer mutes. */
  mutedWords: string[]
}

export async function peopleFor(
  ctx: Context,
  sql: Db,
  ids: Iterable<number>,
  viewerId: number,
): Promise<People> {
  const wanted = [...new Set(ids)].filter((id) => id > 0)
  if (wanted.length === 0) return { users: new Map(), hidden: new Set(), muted: new Set(), mutedWords: [] }
  const { rows, ...viewer } = await findUserRows(sql, wanted, viewerId)
  const [relations, texts] = await Promise.all([
    findRelations(ctx, sql, viewerId, { ids: wanted, version: viewer.relationsVersion }),
    textsOf(ctx).find(
      rows.map(({ id, content_version: version }) => ({ id, version })),
      async (missing) => {
        const found = await findUserTexts(sql, missing)
        return found.map((row) => ({ id: row.id, version: row.content_version, value: userText(ctx, row) }))
      },
    ),
  ])
  const users = new Map(
    rows.flatMap((row) => {
      const text = texts.get(row.id)
      return text ? [[row.id, userView(text, row, relations, viewer)] as const] : []
    }),
  )
  return {
    users,
    hidden: new Set(viewer.hidden),
    muted: new Set(viewer.muted),
    mutedWords: viewer.mutedWords,
  }
}

/** Adds the user of each row, or null for a disabled user. */
export async function withUser<Row extends { user_id: number }>(
  ctx: Context,
  rows: readonly Row[],
  viewerId: number,
): Promise<(Row & { user: UserView | null })[]> {
  const users = await userViews(ctx, ctx.sql, distinct(rows, 'user_id'), viewerId)
  return rows.map((row) => ({ ...row, user: users.get(row.user_id) ?? null }))
}

/** Returns users in the order of `ids`. Omits users who were disabled after the query for `ids`. */
export async function userPage(ctx: Context, ids: number[], viewerId: number): Promise<UserView[]> {
  const users = await userViews(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id) => users.get(id) ?? [])
}

export const withUrls = (user: UserView): UserWithUrls => ({
  ...user,
  avatar: user.avatar?.url ?? null,
  bg: user.bg?.url ?? null,
})

/** Users as a target of rewards and reports. */
export const userContent = (ctx: Context, tag: string): Content => ({
  type: 'users',
  param: 'user',
  noun: 'User',
  tag,
  undeclared: true,
  async find(sql, id, viewerId) {
    const user = (await userViews(ctx, sql, [id], viewerId)).get(id)
    return user && { id, ownerId: id, contents: user.name }
  },
  live: enabledUser,
})
