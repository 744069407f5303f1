import { userViews, withUrls } from '#modules/accounts/index.ts'
import { fileUrl } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type GroupRow, listMembers } from './queries/groups.ts'
import type { GroupView } from './schema.ts'

/** The address of a group's picture, or an empty text. */
export const faceUrl = (ctx: Context, faceId: number | null) => (faceId === null ? '' : fileUrl(ctx, faceId))

/** Groups with their members, in two queries whatever their number. Disabled people are left out (R §2). */
export async function groupViews(ctx: Context, rows: GroupRow[], viewerId: number): Promise<GroupView[]> {
  const members = await listMembers(
    ctx.sql,
    rows.map(({ id }) => id),
  )
  const users = await userViews(
    ctx,
    ctx.sql,
    members.map(({ user_id }) => user_id),
    viewerId,
  )
  const byGroup = Map.groupBy(members, ({ group_id }) => group_id)
  return rows.map((row) => {
    const people = byGroup.get(row.id) ?? []
    return {
      id: row.wire_id,
      name: row.name,
      description: row.description,
      membersonly: row.members_only,
      allowinvites: row.allow_invites,
      maxusers: row.max_users,
      owner: String(row.owner_id),
      created: row.created_ms,
      custom: row.custom,
      affiliations_count: people.length,
      affiliations: people.flatMap(({ user_id }) => {
        const user = users.get(user_id)
        if (!user) return []
        return {
          ...withUrls(user),
          is_owner: user_id === row.owner_id ? 1 : 0,
          certification: user.verified?.type ?? null,
        }
      }),
      public: row.public,
      group_face: faceUrl(ctx, row.face_id),
    }
  })
}
