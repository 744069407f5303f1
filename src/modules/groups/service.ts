import type { Content, ContentReader } from '#contracts/content.ts'
import { attachPicture, detachFiles } from '#modules/files/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { userViews } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { screenWords } from '#modules/words/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, type Tx, transaction } from '#platform/database'
import { addJob } from '#platform/jobs'
import { isClosed } from './access/queries.ts'
import { getManagedGroup } from './access/service.ts'
import {
  moneyRequired,
  noSuchCategory,
  noSuchTag,
  notCertified,
  notFounder,
  placeIncomplete,
  unknownCategory,
} from './errors.ts'
import { listMemberUserIds } from './members/queries.ts'
import {
  findCategory,
  findGroup,
  findVisibleGroups,
  type GroupPlace,
  insertGroup,
  replaceTags,
  updateGroup,
} from './queries.ts'
import { GROUPS, type Group, GroupChanges, type Mode, NewGroup, rolesOf } from './schema.ts'
import { readGroupSettings } from './settings.ts'
import { groupsById } from './view.ts'

export async function requireCategory(sql: Db, id: number): Promise<void> {
  const category = await findCategory(sql, id)
  if (category?.status !== 0) throw noSuchCategory()
}

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

export const groupReader: ContentReader = { visible: findVisibleGroups, views: groupsById }

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

function priceOf(mode: Mode, money: number): number {
  if (mode !== 'paid') return 0
  if (money < 1) throw moneyRequired()
  return money
}

async function setAvatar(tx: Tx, ownerId: number, groupId: number, file: number): Promise<void> {
  await detachFiles(tx, { channel: 'group:avatar', raws: [groupId] })
  await attachPicture(tx, file, { ownerId, channel: 'group:avatar', raw: groupId, field: 'avatar' })
  await updateGroup(tx, groupId, { avatar: file })
}

async function requireCertified(ctx: Context, userId: number): Promise<void> {
  if (!(await readGroupSettings(ctx))['group:need-verified']) return
  const people = await userViews(ctx, ctx.sql, [userId], userId)
  if (!people.get(userId)?.verified) throw notCertified()
}

const shown = async (ctx: Context, id: number, viewerId: number, sql: Db = ctx.sql): Promise<Group> =>
  (await groupsById(ctx, [id], viewerId, sql)).get(id)!

/** Checks a new group. The returned function creates it. */
export async function prepareGroup(
  ctx: Context,
  userId: number,
  categoryId: number,
  input: NewGroup,
): Promise<(tx: Tx) => Promise<Group>> {
  const body = await screenWords(ctx, input, NewGroup, ['name', 'summary', 'notice', 'location'])
  const place = placeOf(body) ?? null
  const money = priceOf(body.mode, body.money ?? 0)
  await requireCertified(ctx, userId)
  return async (tx) => {
    const id = await onConstraint(
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
    if (body.tags) await saveTags(tx, id, body.tags)
    if (body.avatar !== undefined) await setAvatar(tx, userId, id, body.avatar)
    await publishEvent(ctx, tx, 'group.created', { id })
    return shown(ctx, id, userId, tx)
  }
}

const TOLD_AT_ONCE = 1000

/** Rank of each mode. In a mode of higher rank, more users can read the group's existing posts. */
const OPENNESS: Record<Mode, number> = { private: 0, paid: 1, public: 2 }

/**
 * Notifies the members, except the founder `by`, that the group became more open. Uses a single transaction, so
 * that a retry notifies no member twice.
 */
export const tellOpened = (ctx: Context, groupId: number, by: number): Promise<void> =>
  transaction(ctx.sql, async (tx) => {
    const group = await findGroup(tx, groupId, by)
    if (!group) return
    for (let after = 0; ; ) {
      const ids = await listMemberUserIds(tx, groupId, after, TOLD_AT_ONCE)
      await notify(tx, {
        type: 'system',
        recipients: ids,
        senderId: by,
        hidesRecipients: isClosed(group),
        cause: { type: GROUPS, id: groupId },
        data: {
          type: 'group:open',
          resource: { type: GROUPS, id: groupId },
          group: { id: groupId, name: group.name },
        },
      })
      if (ids.length < TOLD_AT_ONCE) return
      after = ids.at(-1) ?? 0
    }
  })

/**
 * Lets the founder and administrators change a group. Only the founder may choose a more open mode
 * (groups-2).
 */
export async function changeGroup(
  ctx: Context,
  userId: number,
  groupId: number,
  input: GroupChanges,
): Promise<Group> {
  const body = await screenWords(ctx, input, GroupChanges, ['name', 'summary', 'notice', 'location'])
  const place = placeOf(body)
  await transaction(ctx.sql, async (tx) => {
    const group = await getManagedGroup(tx, groupId, userId, { lock: true })
    const mode = body.mode ?? group.mode
    const opens = OPENNESS[mode] > OPENNESS[group.mode]
    if (opens && group.member?.role !== 'founder') throw notFounder()
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
    if (opens) await addJob(tx, 'tell_group_opened', { id: groupId, by: userId })
  })
  return shown(ctx, groupId, userId)
}
