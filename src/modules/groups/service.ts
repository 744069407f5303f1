import { userViews } from '#modules/accounts/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Content, Reader } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import {
  moneyRequired,
  noSuchCategory,
  noSuchTag,
  notCertified,
  placeIncomplete,
  unknownCategory,
} from './errors.ts'
import {
  findGroup,
  findVisibleGroups,
  type GroupPlace,
  insertGroup,
  replaceTags,
  updateGroup,
} from './queries.ts'
import { GROUPS, type Group, GroupChanges, NewGroup } from './schema.ts'
import { type Mode, rolesOf } from './standing/schema.ts'
import { getManaged } from './standing/service.ts'
import { groupsById } from './view.ts'

/** Groups as content that is reported. */
export const groupContent: Content = {
  type: GROUPS,
  param: 'group',
  noun: 'Group',
  tag: 'Groups',
  async find(sql, id, viewerId) {
    const row = await findGroup(sql, id, viewerId)
    return row && { id, ownerId: row.user_id, contents: row.name }
  },
  live: (sql, id) => sql`select id from groups where id = ${id} and deleted_at is null`,
}

/** Groups in lists that mix kinds. */
export const groupReader: Reader = { visible: findVisibleGroups, views: groupsById }

/** All four parts of a place, or nothing. */
function placeOf({ location, longitude, latitude, geo_hash }: GroupChanges): GroupPlace | undefined {
  if (location === undefined || longitude === undefined || latitude === undefined || geo_hash === undefined) {
    if ([location, longitude, latitude, geo_hash].some((part) => part !== undefined)) throw placeIncomplete()
    return undefined
  }
  return { location, longitude, latitude, geo_hash }
}

const tagIdsOf = (tags: NonNullable<NewGroup['tags']>) => [
  ...new Set(tags.map((tag) => (typeof tag === 'object' ? tag.id : tag))),
]

const saveTags = (tx: Tx, groupId: number, tags: NonNullable<NewGroup['tags']>) =>
  onConstraint(replaceTags(tx, groupId, tagIdsOf(tags)), { group_tags_tag_id_fkey: noSuchTag })

/** A free group keeps no price, and a paid one has one. */
function priceOf(mode: Mode, money: number): number {
  if (mode !== 'paid') return 0
  if (money < 1) throw moneyRequired()
  return money
}

async function setAvatar(tx: Tx, ownerId: number, groupId: number, file: number): Promise<void> {
  await detachFiles(tx, { channel: 'group:avatar', raws: [groupId] })
  await attachFiles(tx, {
    ids: [file],
    ownerId,
    channel: 'group:avatar',
    raw: groupId,
    field: 'avatar',
    kind: 'image',
  })
  await updateGroup(tx, groupId, { avatar: file })
}

async function requireCertified(ctx: Context, userId: number): Promise<void> {
  if (!(await readSettings(ctx))['group:need-verified']) return
  const people = await userViews(ctx, ctx.sql, [userId], userId)
  if (!people.get(userId)?.verified) throw notCertified()
}

const shown = async (ctx: Context, id: number, viewerId: number): Promise<Group> =>
  (await groupsById(ctx, [id], viewerId)).get(id)!

/** Makes a group, which waits for an administrator; who makes it is its founder. */
export async function createGroup(
  ctx: Context,
  userId: number,
  categoryId: number,
  input: NewGroup,
): Promise<Group> {
  const body = await screen(ctx, input, NewGroup, ['name', 'summary', 'notice', 'location'])
  const place = placeOf(body) ?? null
  const money = priceOf(body.mode, body.money ?? 0)
  await requireCertified(ctx, userId)
  const id = await transaction(ctx.sql, async (tx) => {
    const made = await onConstraint(
      insertGroup(tx, userId, {
        name: body.name,
        category_id: categoryId,
        mode: body.mode,
        money,
        allow_feed: body.allow_feed ?? false,
        permissions: body.permissions?.length
          ? rolesOf(body.permissions)
          : ['member', 'administrator', 'founder'],
        summary: body.summary ?? null,
        notice: body.notice ?? null,
        place,
      }),
      { groups_category: noSuchCategory },
    )
    if (body.tags) await saveTags(tx, made, body.tags)
    if (body.avatar !== undefined) await setAvatar(tx, userId, made, body.avatar)
    await publishEvent(ctx, tx, 'group.created', { id: made, user_id: userId })
    return made
  })
  return shown(ctx, id, userId)
}

/** Changes a group as its founder or an administrator. */
export async function changeGroup(
  ctx: Context,
  userId: number,
  groupId: number,
  input: GroupChanges,
): Promise<Group> {
  const body = await screen(ctx, input, GroupChanges, ['name', 'summary', 'notice', 'location'])
  const place = placeOf(body)
  await transaction(ctx.sql, async (tx) => {
    const group = await getManaged(tx, groupId, userId, { lock: true })
    const mode = body.mode ?? group.mode
    await onConstraint(
      updateGroup(tx, groupId, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.category_id === undefined ? {} : { category_id: body.category_id }),
        mode,
        money: priceOf(mode, body.money ?? group.money),
        ...(body.allow_feed === undefined ? {} : { allow_feed: body.allow_feed }),
        ...(body.permissions?.length ? { permissions: rolesOf(body.permissions) } : {}),
        ...(body.summary === undefined ? {} : { summary: body.summary }),
        ...(body.notice === undefined ? {} : { notice: body.notice }),
        ...(place ? { place } : {}),
      }),
      { groups_category: unknownCategory },
    )
    if (body.tags) await saveTags(tx, groupId, body.tags)
    if (body.avatar !== undefined) await setAvatar(tx, userId, groupId, body.avatar)
  })
  return shown(ctx, groupId, userId)
}
