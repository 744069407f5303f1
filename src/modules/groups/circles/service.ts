import { userViews } from '#modules/accounts/index.ts'
import { attachFiles, detachFiles } from '#modules/files/index.ts'
import { move, PLATFORM } from '#modules/ledger/index.ts'
import { notify, publishEvent, takeBack } from '#modules/notifications/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import { screen } from '#modules/words/index.ts'
import type { Content, Reader } from '#platform/content.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import { apiError, invalidField } from '#platform/errors.ts'
import { addJob } from '#platform/jobs.ts'
import { noSuchCategory, noSuchGroup, unknownCategory } from '../errors.ts'
import type { Mode, Role } from '../schema.ts'
import { REQUESTS } from '../schema.ts'
import { getManaged } from '../service.ts'
import {
  addToTotal,
  closeRequests,
  type GroupPlace,
  insertGroup,
  markDeleted,
  replaceTags,
  setAudit,
  updateGroup,
} from './queries/changes.ts'
import { findCategory, findGroup, findVisibleGroups } from './queries/circles.ts'
import { type Group, GroupChanges, NewGroup } from './schema.ts'
import { groupsById } from './view.ts'

export const GROUPS = 'groups'

const notCertified = apiError(
  422,
  'group_needs_certification',
  'You need a certification to create a group.',
  '需要通过认证才能创建圈子。',
)
const placeIncomplete = () =>
  invalidField('location', {
    en: 'Give location, longitude, latitude and geo_hash together or not at all.',
    zh: 'location、longitude、latitude、geo_hash 须同时提供。',
  })
const moneyRequired = () =>
  invalidField('money', { en: 'A paid group needs a price.', zh: '收费圈子必须设置入圈费用。' })
const noSuchTag = () => invalidField('tags', { en: 'There is no such tag.', zh: '标签不存在。' })

/** Circles as things that are reported. */
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

/** Circles in lists that mix kinds. */
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

const rolesOf = (permissions: string[]) => [...new Set(permissions)] as Role[]

/** A free circle keeps no price, and a paid one has one. */
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

/** 404 for a category that is unknown or hidden. */
export async function requireCategory(ctx: Context, id: number): Promise<void> {
  const category = await findCategory(ctx.sql, id)
  if (category?.status !== 0) throw noSuchCategory()
}

async function requireCertified(ctx: Context, userId: number): Promise<void> {
  if (!(await readSettings(ctx))['group:need-verified']) return
  const people = await userViews(ctx, ctx.sql, [userId], userId)
  if (!people.get(userId)?.verified) throw notCertified()
}

const shown = async (ctx: Context, id: number, viewerId: number): Promise<Group> =>
  (await groupsById(ctx, [id], viewerId)).get(id)!

/** Makes a circle, which waits for an administrator; who makes it is its founder. */
export async function createGroup(
  ctx: Context,
  userId: number,
  categoryId: number,
  input: NewGroup,
): Promise<Group> {
  const body = await screen(ctx, input, NewGroup, ['name', 'summary', 'notice', 'location'])
  await requireCategory(ctx, categoryId)
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

/** Changes a circle as its founder or an administrator. */
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

const auditedAlready = apiError(
  422,
  'group_audited_already',
  'The group is in this state already.',
  '圈子已处于该状态。',
)

/** Lets a circle pass or rejects it, in the caller's transaction; its founder is told. */
export async function auditGroup(tx: Tx, id: number, audit: 1 | 2): Promise<void> {
  const changed = await setAudit(tx, id, audit)
  if (!changed) throw auditedAlready()
  if (audit === 1) await addToTotal(tx, 1)
  else if (changed.was === 1) await addToTotal(tx, -1)
  await notify(tx, {
    type: 'system',
    recipients: [changed.founder],
    senderId: 0,
    cause: { type: GROUPS, id },
    data: {
      type: 'group:audit',
      state: audit === 1 ? 'passed' : 'rejected',
      resource: { type: GROUPS, id },
      group: { id, name: changed.name },
    },
  })
}

/** Makes a circle disappear, in the caller's transaction: who waits gets the fee back, and a job clears the rest. */
export async function removeGroup(ctx: Context, tx: Tx, id: number): Promise<void> {
  const gone = await markDeleted(tx, id)
  if (!gone) throw noSuchGroup()
  if (gone.audit === 1) await addToTotal(tx, -1)
  const waiting = await closeRequests(tx, id)
  await move(
    tx,
    waiting.map(({ id: request, user_id, fee, currency }) => ({
      currency,
      from: PLATFORM.escrow,
      to: user_id,
      amount: fee,
      kind: 'membership:refunded',
      subject: { type: REQUESTS, id: request },
    })),
  )
  await takeBack(tx, { cause: { type: GROUPS, id } })
  await addJob(tx, 'remove_group', { id })
  await publishEvent(ctx, tx, 'group.deleted', { id })
}
