import { wireTime, withWireTimes } from '#lib/time.ts'
import { fileUrl, signedFileUrl } from '#modules/files/index.ts'
import { findTags } from '#modules/tags/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { findMemberships, type MemberRow, memberRecord, memberViews } from './access/queries.ts'
import { findCategory, findGroupParts, findGroups, type GroupCategoryRow, type GroupRow } from './queries.ts'
import type { Group, GroupCategory, GroupDetail } from './schema.ts'

export const groupCategoryView = (row: GroupCategoryRow): GroupCategory => withWireTimes(row)

const textOrNull = (value: number | null) => (value === null ? null : String(value))

/**
 * Signs the picture URL of an unapproved group, because browsers load pictures without a token (files-15).
 */
const pictureView = (ctx: Context, avatar: number, audit: number) => ({
  url: audit === 1 ? fileUrl(ctx, avatar) : signedFileUrl(ctx, avatar, {}, false),
  vendor: ctx.storage.vendor,
})

function groupView(ctx: Context, row: GroupRow, joined: MemberRow | undefined): Group {
  const founder = joined?.role === 'founder'
  return {
    id: row.id,
    name: row.name,
    user_id: row.user_id,
    category_id: row.category_id,
    avatar: row.avatar === null ? null : pictureView(ctx, row.avatar, row.audit),
    location: row.location,
    longitude: textOrNull(row.longitude),
    latitude: textOrNull(row.latitude),
    geo_hash: row.geo_hash,
    allow_feed: row.allow_feed ? 1 : 0,
    mode: row.mode,
    permissions: row.permissions.join(','),
    money: row.money,
    summary: row.summary,
    notice: row.notice,
    users_count: row.users_count,
    posts_count: row.posts_count,
    excellen_posts_count: row.excellen_posts_count,
    join_income_count: founder ? row.join_income_count : 0,
    pinned_income_count: founder ? row.pinned_income_count : 0,
    audit: row.audit,
    im_group_id: row.im_group_id,
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    joined: joined ? memberRecord(joined) : null,
  }
}

export async function groupViews(
  ctx: Context,
  rows: GroupRow[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<Group[]> {
  const joined = await findMemberships(
    sql,
    rows.map(({ id }) => id),
    viewerId,
  )
  return rows.map((row) => groupView(ctx, row, joined.get(row.id)))
}

export async function groupsById(
  ctx: Context,
  ids: number[],
  viewerId: number,
  sql: Db = ctx.sql,
): Promise<Map<number, Group>> {
  if (ids.length === 0) return new Map()
  const views = await groupViews(ctx, await findGroups(sql, ids, viewerId), viewerId, sql)
  return new Map(views.map((view) => [view.id, view]))
}

export async function groupDetail(ctx: Context, row: GroupRow, viewerId: number): Promise<GroupDetail> {
  const { tagIds, founder, blacklisted } = await findGroupParts(ctx.sql, row.id)
  const [[group], category, people, tags, founders] = await Promise.all([
    groupViews(ctx, [row], viewerId),
    findCategory(ctx.sql, row.category_id),
    userViews(ctx, ctx.sql, [row.user_id], viewerId),
    tagIds.length > 0 ? findTags(ctx.sql, tagIds) : [],
    memberViews(ctx, founder ? [founder] : [], viewerId),
  ])
  return {
    ...group!,
    user: people.get(row.user_id) ?? null,
    tags: [...tags],
    category: groupCategoryView(category!),
    founder: founders[0] ?? null,
    blacklist_count: blacklisted,
  }
}
