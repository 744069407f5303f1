import { hasAbility } from '#modules/abilities/index.ts'
import { attachPicture, detachFiles } from '#modules/files/index.ts'
import { findBlockers, findEnabledIds } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { ensureAccounts } from '../accounts/service.ts'
import { detachMessagesOf } from '../chats/messages/service.ts'
import { addSync } from '../sync/queries.ts'
import { confirmVersion } from '../sync/service.ts'
import {
  countMembers,
  deleteMembers,
  findGroups,
  findMembers,
  type ImGroupRow,
  type ImGroupSettings,
  insertAnnouncement,
  insertGroup,
  insertMembers,
  lockGroup,
  markDeleted,
  touchGroup,
  updateGroup,
} from './queries.ts'
import {
  type ImGroupChange,
  type ImMemberChange,
  mayNotInvite,
  type NewImGroup,
  noSuchImGroup,
  notOwner,
  ownerStays,
  tooManyMembers,
  unknownMember,
} from './schema.ts'

const settingsIn = (body: NewImGroup | ImGroupChange): ImGroupSettings => ({
  name: body.groupname,
  description: body.desc,
  public: body.public ?? true,
  members_only: body.members_only ?? false,
  allow_invites: body.allowinvites ?? true,
  max_users: body.maxusers ?? 200,
})

const mayManage = (ctx: Context, userId: number) => hasAbility(ctx, userId, 'im: manage')

export async function findVisibleGroups(
  ctx: Context,
  wireIds: string[],
  viewerId: number,
): Promise<ImGroupRow[]> {
  const rows = await findGroups(ctx.sql, wireIds, viewerId)
  const hidden = rows.some((row) => !row.public && !row.member)
  const all = hidden && (await mayManage(ctx, viewerId))
  const visible = rows.filter((row) => row.public || row.member || all)
  const place = (row: ImGroupRow) => {
    const byWire = wireIds.indexOf(row.wire_id)
    return byWire === -1 ? wireIds.indexOf(String(row.id)) : byWire
  }
  return visible.sort((one, other) => place(one) - place(other))
}

export async function getGroups(ctx: Context, wireIds: string[], viewerId: number): Promise<ImGroupRow[]> {
  const rows = await findVisibleGroups(ctx, wireIds, viewerId)
  if (rows.length === 0) throw noSuchImGroup()
  return rows
}

type Rights = { manager: boolean; owner: boolean }

/** Locks a group and runs `work` on it. Throws 404 for a group hidden from the viewer. */
async function changing<T>(
  ctx: Context,
  wireId: number,
  viewerId: number,
  work: (tx: Tx, group: ImGroupRow, rights: Rights) => Promise<T>,
): Promise<T> {
  const [found] = await getGroups(ctx, [String(wireId)], viewerId)
  const manager = await mayManage(ctx, viewerId)
  return transaction(ctx.sql, async (tx) => {
    const group = await lockGroup(tx, (found as ImGroupRow).id, viewerId)
    if (!group || !(group.public || group.member || manager)) throw noSuchImGroup()
    return work(tx, group, { manager, owner: manager || group.owner_id === viewerId })
  })
}

async function requirePeople(db: Db, field: string, ids: number[]): Promise<void> {
  const people = new Set(await findEnabledIds(db, ids))
  const unknown = ids.find((id) => !people.has(id))
  if (unknown !== undefined) throw unknownMember(field, unknown)
}

/**
 * Throws 422 for an unknown or disabled user. Throws 403 if one of the given users blocks the viewer, unless
 * `manager` is true (im-9).
 */
async function requireInvitable(db: Db, field: string, ids: number[], viewerId: number, manager: boolean) {
  await requirePeople(db, field, ids)
  if (!manager && (await findBlockers(db, viewerId, ids)).size > 0) throw blocked()
}

export type Stored = { wireId: string; confirmed: boolean }

async function confirm(ctx: Context, id: number, version: number): Promise<Stored> {
  const confirmed = await confirmVersion(ctx, id, version)
  const [row] = await findGroups(ctx.sql, [String(id)], 0)
  return { wireId: row?.wire_id ?? String(id), confirmed }
}

export async function createGroup(ctx: Context, viewerId: number, body: NewImGroup): Promise<Stored> {
  const settings = settingsIn(body)
  const members = [...new Set(body.members ?? [])].filter((id) => id !== viewerId)
  const manager = members.length > 0 && (await mayManage(ctx, viewerId))
  const id = await transaction(ctx.sql, async (tx) => {
    await requireInvitable(tx, 'members', members, viewerId, manager)
    if (members.length + 1 > settings.max_users) throw tooManyMembers('members', settings.max_users)
    await ensureAccounts(ctx, tx, [viewerId, ...members])
    const made = await insertGroup(tx, viewerId, settings, members)
    await insertAnnouncement(tx, made, { type: 'ts_group_create' })
    await addSync(tx, 'im_group', made)
    return made
  })
  return confirm(ctx, id, 1)
}

export type ChangedGroup = { before: ImGroupRow; after: ImGroupRow; confirmed: boolean }

export async function changeGroup(
  ctx: Context,
  viewerId: number,
  body: ImGroupChange,
): Promise<ChangedGroup> {
  const settings = settingsIn(body)
  const heir = body.new_owner_user ?? 0
  const face = body.group_face ?? 0
  const { before, version } = await changing(ctx, body.im_group_id, viewerId, async (tx, group, rights) => {
    if (!rights.owner) throw notOwner()
    const handover = heir > 0 && heir !== group.owner_id
    let newcomers = 0
    if (handover) {
      const within = (await findMembers(tx, group.id, [heir])).has(heir)
      await requireInvitable(tx, 'new_owner_user', [heir], viewerId, rights.manager || within)
      await ensureAccounts(ctx, tx, [heir])
      newcomers = (await insertMembers(tx, group.id, [heir])).length
    }
    const members = await countMembers(tx, group.id)
    if (members > settings.max_users) {
      const field = members - newcomers > settings.max_users ? 'maxusers' : 'new_owner_user'
      throw tooManyMembers(field, settings.max_users)
    }
    const newFace = face > 0 && face !== group.face_id
    if (newFace) {
      if (group.face_id !== null) await detachFiles(tx, { ids: [group.face_id] })
      const use = { ownerId: viewerId, channel: 'im:group_face', raw: group.id, field: 'group_face' }
      await attachPicture(tx, face, use)
    }
    const changes = {
      ...settings,
      ...(newFace ? { face_id: face } : {}),
      ...(handover ? { owner_id: heir } : {}),
    }
    const version = await updateGroup(tx, group.id, changes)
    await insertAnnouncement(tx, group.id, { type: 'ts_group_change' })
    await addSync(tx, 'im_group', group.id)
    return { before: { ...group, ...changes, owner_id: group.owner_id }, version }
  })
  const { confirmed, wireId } = await confirm(ctx, before.id, version)
  const owner_id = heir > 0 ? heir : before.owner_id
  return { before, after: { ...before, wire_id: wireId, owner_id }, confirmed }
}

export async function deleteGroup(ctx: Context, viewerId: number, wireId: number): Promise<void> {
  const { id, version } = await changing(ctx, wireId, viewerId, async (tx, group, rights) => {
    if (!rights.owner) throw notOwner()
    if (group.face_id !== null) await detachFiles(tx, { ids: [group.face_id] })
    await detachMessagesOf(tx, group.id)
    await markDeleted(tx, group.id)
    return { id: group.id, version: await change(tx, group.id) }
  })
  await confirmVersion(ctx, id, version)
}

export async function addMembers(
  ctx: Context,
  viewerId: number,
  { im_group_id, members }: ImMemberChange,
): Promise<boolean> {
  const ids = [...new Set(members)]
  const { id, version } = await changing(ctx, im_group_id, viewerId, async (tx, group, rights) => {
    if (!rights.owner && !group.member) throw notOwner()
    if (!rights.owner && !group.allow_invites) throw mayNotInvite()
    const present = await findMembers(tx, group.id, ids)
    const newcomers = ids.filter((each) => !present.has(each))
    if (newcomers.length === 0) return { id: group.id, version: group.version }
    await requireInvitable(tx, 'members', newcomers, viewerId, rights.manager)
    if ((await countMembers(tx, group.id)) + newcomers.length > group.max_users)
      throw tooManyMembers('members', group.max_users)
    await ensureAccounts(ctx, tx, newcomers)
    await insertMembers(tx, group.id, newcomers)
    await insertAnnouncement(tx, group.id, { type: 'ts_user_join', uid: newcomers })
    return { id: group.id, version: await change(tx, group.id) }
  })
  return confirmVersion(ctx, id, version)
}

const change = async (tx: Db, id: number) => {
  await addSync(tx, 'im_group', id)
  return touchGroup(tx, id)
}

/**
 * Ignores users who are not members, but throws 422 if one of them is unknown or disabled. Members without the
 * rights of the owner may remove only themselves.
 */
export async function removeMembers(
  ctx: Context,
  viewerId: number,
  { im_group_id, members }: ImMemberChange,
): Promise<void> {
  const ids = [...new Set(members)]
  const { id, version } = await changing(ctx, im_group_id, viewerId, async (tx, group, rights) => {
    const leaving = group.member && ids.length === 1 && ids[0] === viewerId
    if (!rights.owner && !leaving) throw notOwner()
    const present = await findMembers(tx, group.id, ids)
    const strangers = ids.filter((each) => !present.has(each))
    await requirePeople(tx, 'members', strangers)
    if (ids.includes(group.owner_id)) throw ownerStays()
    const gone = await deleteMembers(tx, group.id, ids)
    if (gone.length === 0) return { id: group.id, version: group.version }
    await insertAnnouncement(tx, group.id, { type: 'ts_user_exit', uid: gone })
    return { id: group.id, version: await change(tx, group.id) }
  })
  await confirmVersion(ctx, id, version)
}
