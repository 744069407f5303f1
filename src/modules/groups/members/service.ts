import { type Currency, moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import {
  notify,
  type SystemType,
  withdrawFromReader,
  withdrawNotifications,
} from '#modules/notifications/index.ts'
import { reassignPins } from '#modules/pinning/index.ts'
import { requireNotBlocked } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import {
  findFounderId,
  findManagerIds,
  type GroupAccess,
  isClosed,
  type MemberRow,
} from '../access/queries.ts'
import { actingRank, getGroupAccess, getOwnedGroup, manages } from '../access/service.ts'
import {
  applicantsWait,
  cannotPay,
  founderStays,
  joinedAlready,
  memberDisabled,
  memberPending,
  noSuchGroup,
  noSuchMember,
  notAdministrator,
  notAudited,
  notEligible,
  notFounder,
  notManager,
  notMember,
  rankTooLow,
  requestHandled,
  tooManyAdministrators,
} from '../errors.ts'
import { POST_PIN } from '../pins/schema.ts'
import { selectPostIds } from '../posts/queries.ts'
import { POSTS } from '../posts/schema.ts'
import { GROUPS, type Role, rankOf } from '../schema.ts'
import {
  countAdministrators,
  decideRequest,
  deleteMember,
  deleteOwnMember,
  findMember,
  findMemberOfUser,
  hasPending,
  insertMember,
  updateMember,
} from './queries.ts'
import { REQUESTS } from './schema.ts'

const ADMINISTRATORS_MAX = 5

const told = (group: GroupAccess, type: SystemType, recipients: number[], senderId: number) => ({
  type: 'system' as const,
  recipients: recipients.filter((id) => id !== senderId),
  senderId,
  hidesRecipients: isClosed(group),
  cause: { type: GROUPS, id: group.id },
  data: { type, resource: { type: GROUPS, id: group.id }, group: { id: group.id, name: group.name } },
})

export async function getJoinable(sql: Db, groupId: number, userId: number): Promise<GroupAccess> {
  const group = await getGroupAccess(sql, groupId, userId)
  if (group.member) throw joinedAlready()
  if (group.audit !== 1) throw notAudited()
  return group
}

/**
 * Joins a group, or requests to join and pays the fee, if any, into escrow (groups-8). Returns whether the user
 * is a member now.
 */
export async function joinGroup(
  tx: Tx,
  group: GroupAccess,
  userId: number,
  currency: Currency,
): Promise<boolean> {
  const made = await insertMember(tx, group.id, userId, currency)
  if (!made) throw noSuchGroup()
  if (made.member_id === null) throw joinedAlready()
  if (made.fee > 0 && made.log_id !== null) {
    await requireNotBlocked(tx, userId, [await findFounderId(tx, group.id)])
    await moveFunds(
      tx,
      {
        currency,
        from: userId,
        to: PLATFORM_ACCOUNTS.escrow,
        amount: made.fee,
        kind: 'membership',
        subject: { type: REQUESTS, id: made.log_id },
      },
      cannotPay,
    )
  }
  await withdrawNotifications(tx, {
    type: 'system',
    systemType: 'group:join:reject',
    recipients: [userId],
    cause: { type: GROUPS, id: group.id },
  })
  await notify(tx, told(group, 'group:join', await findManagerIds(tx, group.id), userId))
  return made.log_id === null
}

const giveBack = (tx: Tx, userId: number, fee: number, currency: Currency | null, logId: number | null) =>
  fee > 0 && currency !== null && logId !== null
    ? moveFunds(tx, {
        currency,
        from: PLATFORM_ACCOUNTS.escrow,
        to: userId,
        amount: fee,
        kind: 'membership:refunded',
        subject: { type: REQUESTS, id: logId },
      })
    : undefined

/** Withdraws notifications about posts of a group that its former member may no longer read (notifications-7). */
async function withdrawPosts(tx: Tx, groupId: number, userId: number): Promise<void> {
  if (isClosed(await getGroupAccess(tx, groupId, userId)))
    await withdrawFromReader(tx, userId, { type: POSTS, ids: selectPostIds(tx, groupId) })
}

export async function leaveGroup(ctx: Context, groupId: number, userId: number): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const gone = await deleteOwnMember(tx, groupId, userId)
    if (gone) {
      await giveBack(tx, userId, gone.fee, gone.currency, gone.log_id)
      await withdrawPosts(tx, groupId, userId)
      const cause = { type: GROUPS, id: groupId }
      return withdrawNotifications(tx, { systemType: 'group:join', senderId: userId, cause })
    }
    const { member } = await getGroupAccess(tx, groupId, userId)
    if (!member) throw notMember()
    // Blacklisted members may not leave, because joining again would remove them from the blacklist.
    throw member.role === 'founder' ? founderStays() : memberDisabled()
  })
}

async function getMember(sql: Db, groupId: number, memberId: number): Promise<MemberRow> {
  const member = await findMember(sql, groupId, memberId)
  if (!member) throw noSuchMember()
  return member
}

export async function requireMember(sql: Db, groupId: number, memberId: number, actorId: number) {
  const group = await getGroupAccess(sql, groupId, actorId)
  await getMember(sql, groupId, memberId)
  if (!manages(group)) throw notManager()
}

/** Decides a join request once. The fee goes to the founder or is refunded (groups-9). */
export async function auditMember(
  tx: Tx,
  { groupId, memberId, accept, by }: { groupId: number; memberId: number; accept: boolean; by: number },
): Promise<void> {
  const group = await getGroupAccess(tx, groupId, by, { lock: true })
  await getMember(tx, groupId, memberId)
  if (!manages(group)) throw notManager()
  const decided = await decideRequest(tx, { groupId, memberId, accept, by })
  if (!decided) throw requestHandled()
  const { user_id: userId, fee, currency, log_id: logId } = decided
  if (accept && fee > 0 && currency !== null)
    await moveFunds(tx, {
      currency,
      from: PLATFORM_ACCOUNTS.escrow,
      to: await findFounderId(tx, groupId),
      amount: fee,
      kind: 'membership',
      subject: { type: REQUESTS, id: logId },
    })
  if (!accept) await giveBack(tx, userId, fee, currency, logId)
  await notify(tx, told(group, accept ? 'group:join:accept' : 'group:join:reject', [userId], by))
}

/** Locks the group and runs `work` on an accepted member of lower rank than the actor. */
async function onMember(
  ctx: Context,
  { groupId, memberId, actorId, least }: MemberCall & { least: Role },
  work: (tx: Tx, member: MemberRow) => Promise<void>,
): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const group = await getGroupAccess(tx, groupId, actorId, { lock: true })
    const member = await getMember(tx, groupId, memberId)
    if (actingRank(group) < rankOf(least)) throw least === 'founder' ? notFounder() : notManager()
    if (member.audit !== 1) throw memberPending()
    if (rankOf(member.role) >= actingRank(group)) throw rankTooLow()
    await work(tx, member)
  })
}

export type MemberCall = { groupId: number; memberId: number; actorId: number }

export const removeMember = (ctx: Context, call: MemberCall) =>
  onMember(ctx, { ...call, least: 'administrator' }, async (tx, { user_id }) => {
    await deleteMember(tx, call.groupId, call.memberId)
    await withdrawPosts(tx, call.groupId, user_id)
  })

export const addAdministrator = (ctx: Context, call: MemberCall) =>
  onMember(ctx, { ...call, least: 'founder' }, async (tx, member) => {
    if (member.role === 'administrator') return
    if (member.disabled) throw notEligible()
    if ((await countAdministrators(tx, call.groupId)) >= ADMINISTRATORS_MAX) throw tooManyAdministrators()
    await updateMember(tx, call.groupId, call.memberId, { role: 'administrator' })
  })

export const removeAdministrator = (ctx: Context, call: MemberCall) =>
  onMember(ctx, { ...call, least: 'founder' }, async (tx, member) => {
    if (member.role !== 'administrator') throw notAdministrator()
    await updateMember(tx, call.groupId, call.memberId, { role: 'member' })
  })

export const setBlacklisted = (ctx: Context, call: MemberCall, disabled: boolean) =>
  onMember(ctx, { ...call, least: 'administrator' }, async (tx, { user_id }) => {
    await updateMember(
      tx,
      call.groupId,
      call.memberId,
      disabled ? { role: 'member', disabled } : { disabled },
    )
    if (disabled) await withdrawPosts(tx, call.groupId, user_id)
  })

export async function transferGroup(
  ctx: Context,
  groupId: number,
  ownerId: number,
  targetId: number,
): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const group = await getOwnedGroup(tx, groupId, ownerId, { lock: true })
    if (await hasPending(tx, groupId)) throw applicantsWait()
    const target = targetId === ownerId ? undefined : await findMemberOfUser(tx, groupId, targetId)
    if (target?.audit !== 1 || target.disabled) throw notEligible()
    // Demotes the founder before the promotion, because a group must never have two founders.
    await updateMember(tx, groupId, group.member!.id, { role: 'member' })
    await updateMember(tx, groupId, target.id, { role: 'founder' })
    await reassignPins(tx, POST_PIN, groupId, targetId)
    await notify(tx, told(group, 'group:transfer', [targetId], ownerId))
  })
}
