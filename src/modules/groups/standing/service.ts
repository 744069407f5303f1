import type { Db } from '#platform/database.ts'
import { memberDisabled, noSuchGroup, notFounder, notManager, notMember } from '../errors.ts'
import { findStanding, type Standing } from './queries.ts'
import { rankOf } from './schema.ts'

/** Someone in the group, accepted and not on the blacklist. */
export const isActive = ({ member }: Standing): boolean => member?.audit === 1 && !member.disabled

/** The rank with which the viewer acts in the group; 0 for strangers and those on the blacklist. */
export const actingRank = (standing: Standing): number =>
  isActive(standing) ? rankOf(standing.member?.role) : 0

/** Whether the viewer founded the group or is one of its administrators. */
export const manages = (standing: Standing): boolean => actingRank(standing) >= rankOf('administrator')

/** The group, or 404 for whom it does not exist: nobody but its members knows of one that has not passed. */
export async function getStanding(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<Standing> {
  const standing = await findStanding(sql, groupId, viewerId, options)
  if (!standing || (standing.audit !== 1 && standing.member?.audit !== 1)) throw noSuchGroup()
  return standing
}

/** 403 for who is not an accepted member, or on the blacklist. */
export function requireActive(standing: Standing): void {
  if (standing.member?.audit !== 1) throw notMember()
  if (standing.member.disabled) throw memberDisabled()
}

/** The group for its founder and administrators; 403 for others. */
export async function getManaged(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<Standing> {
  const standing = await getStanding(sql, groupId, viewerId, options)
  if (!manages(standing)) throw notManager()
  return standing
}

/** The group for its founder; 403 for others. */
export async function getOwned(
  sql: Db,
  groupId: number,
  viewerId: number,
  options: { lock?: boolean } = {},
): Promise<Standing> {
  const standing = await getStanding(sql, groupId, viewerId, options)
  if (actingRank(standing) < rankOf('founder')) throw notFounder()
  return standing
}
