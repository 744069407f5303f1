import type { Db } from '#platform/database'
import { memberDisabled, noSuchGroup, notFounder, notManager, notMember } from '../errors.ts'
import { rankOf } from '../schema.ts'
import { findGroupAccess, type GroupAccess } from './queries.ts'

export const isActiveMember = ({ member }: GroupAccess): boolean => member?.audit === 1 && !member.disabled

/** Rank of the viewer's role in the group. Returns 0 for non-members, pending members and blacklisted users. */
export const actingRank = (standing: GroupAccess): number =>
  isActiveMember(standing) ? rankOf(standing.member?.role) : 0

export const manages = (standing: GroupAccess): boolean => actingRank(standing) >= rankOf('administrator')

/** Throws 404 when the group is hidden from the viewer. Only members see an unapproved group. */
export async function getGroupAccess(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<GroupAccess> {
  const standing = await findGroupAccess(sql, groupId, viewerId, options)
  if (!standing || (standing.audit !== 1 && standing.member?.audit !== 1)) throw noSuchGroup()
  return standing
}

export function requireActiveMember(standing: GroupAccess): void {
  if (standing.member?.audit !== 1) throw notMember()
  if (standing.member.disabled) throw memberDisabled()
}

export async function getManagedGroup(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<GroupAccess> {
  const standing = await getGroupAccess(sql, groupId, viewerId, options)
  if (!manages(standing)) throw notManager()
  return standing
}

export async function getOwnedGroup(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<GroupAccess> {
  const standing = await getGroupAccess(sql, groupId, viewerId, options)
  if (actingRank(standing) < rankOf('founder')) throw notFounder()
  return standing
}
