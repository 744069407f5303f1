import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { memberRecord } from '../standing/view.ts'
import { groupsById } from '../view.ts'
import { findMembersById, type RequestRow } from './queries.ts'
import type { JoinRequest } from './schema.ts'

/** Requests with the people, the groups and the members they are about. */
export async function requestViews(
  ctx: Context,
  rows: RequestRow[],
  viewerId: number,
): Promise<JoinRequest[]> {
  if (rows.length === 0) return []
  const [people, groups, members] = await Promise.all([
    userViews(
      ctx,
      ctx.sql,
      rows.flatMap((row) => [row.user_id, row.auditer ?? 0]),
      viewerId,
    ),
    groupsById(ctx, [...new Set(rows.map((row) => row.group_id))], viewerId),
    findMembersById(
      ctx.sql,
      rows.map((row) => row.member_id),
    ),
  ])
  const memberOf = new Map(members.map((row) => [row.id, memberRecord(row)]))
  return rows.map((row) => ({
    ...row,
    audit_at: wireTimeOrNull(row.audit_at),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.audit_at ?? row.created_at),
    user: people.get(row.user_id) ?? null,
    audit_user: people.get(row.auditer ?? 0) ?? null,
    group: groups.get(row.group_id) ?? null,
    member_info: memberOf.get(row.member_id) ?? null,
  }))
}
