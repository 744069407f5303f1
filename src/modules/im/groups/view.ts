import { userViews, withUrls } from '#modules/accounts/index.ts'
import { fileUrl } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { type ImGroupRow, listMembers } from './queries.ts'
import type { BriefImGroup, ImGroup } from './schema.ts'

/** The address of a group's picture, or an empty text. */
export const faceUrl = (ctx: Context, faceId: number | null) => (faceId === null ? '' : fileUrl(ctx, faceId))

/** What is shown of a group besides its members. */
const settingsView = (ctx: Context, row: ImGroupRow) => ({
  id: row.wire_id,
  name: row.name,
  description: row.description,
  membersonly: row.members_only,
  allowinvites: row.allow_invites,
  maxusers: row.max_users,
  owner: String(row.owner_id),
  created: row.created_ms,
  custom: row.custom,
  public: row.public,
  group_face: faceUrl(ctx, row.face_id),
})

const membersOf = (ctx: Context, rows: ImGroupRow[]) =>
  listMembers(
    ctx.sql,
    rows.map(({ id }) => id),
  )

/** Groups with their members, in two queries whatever their number. Disabled people are left out (im-5). */
export async function imGroupViews(ctx: Context, rows: ImGroupRow[], viewerId: number): Promise<ImGroup[]> {
  const members = await membersOf(ctx, rows)
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
      ...settingsView(ctx, row),
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
    }
  })
}

/** Groups with the account names of their members, as providers list them. */
export async function briefImGroupViews(ctx: Context, rows: ImGroupRow[]): Promise<BriefImGroup[]> {
  const byGroup = Map.groupBy(await membersOf(ctx, rows), ({ group_id }) => group_id)
  return rows.map((row) => {
    const people = byGroup.get(row.id) ?? []
    return {
      ...settingsView(ctx, row),
      affiliations_count: people.length,
      affiliations: people.map(({ user_id }) =>
        user_id === row.owner_id ? { owner: String(user_id) } : { member: String(user_id) },
      ),
    }
  })
}
