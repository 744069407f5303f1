import { fileNotUsable, fileUrl } from '#modules/files/index.ts'
import { findEnabledIds, userViews, withUrls } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked } from '#platform/errors.ts'
import { Empty, localizedMessage, routesOn, type Server, Type } from '#platform/http'
import { Nothing } from '../accounts/service.ts'
import { madeStatus } from '../sync/queries.ts'
import { type ImGroupRow, listMembers } from './queries.ts'
import {
  BriefImGroup,
  ImGroup,
  ImGroupChange,
  ImGroupChanged,
  ImGroupFace,
  ImGroupId,
  ImGroupMade,
  ImGroupsQuery,
  ImMemberChange,
  mayNotInvite,
  NewImGroup,
  noSuchImGroup,
  notOwner,
  ownerStays,
  tooManyMembers,
  unknownMember,
} from './schema.ts'
import {
  addMembers,
  changeGroup,
  createGroup,
  deleteGroup,
  findVisibleGroups,
  getGroups,
  removeMembers,
} from './service.ts'

const faceUrl = (ctx: Context, faceId: number | null) => (faceId === null ? '' : fileUrl(ctx, faceId))

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

async function imGroupViews(ctx: Context, rows: ImGroupRow[], viewerId: number): Promise<ImGroup[]> {
  const members = await membersOf(ctx, rows)
  const users = await userViews(
    ctx,
    ctx.sql,
    members.map(({ user_id }) => user_id),
    viewerId,
  )
  const byGroup = Map.groupBy(members, ({ group_id }) => group_id)
  return rows.map((row) => {
    const affiliations = (byGroup.get(row.id) ?? []).flatMap(({ user_id }) => {
      const user = users.get(user_id)
      if (!user) return []
      return {
        ...withUrls(user),
        is_owner: user_id === row.owner_id ? 1 : 0,
        certification: user.verified?.type ?? null,
      }
    })
    return { ...settingsView(ctx, row), affiliations_count: affiliations.length, affiliations }
  })
}

/**
 * Omits disabled members unless they own the group, because clients expect an owner in every group (im-5).
 */
async function briefImGroupViews(ctx: Context, rows: ImGroupRow[]): Promise<BriefImGroup[]> {
  const members = await membersOf(ctx, rows)
  const enabled = new Set(
    await findEnabledIds(
      ctx.sql,
      members.map(({ user_id }) => user_id),
    ),
  )
  const byGroup = Map.groupBy(members, ({ group_id }) => group_id)
  return rows.map((row) => {
    const affiliations = (byGroup.get(row.id) ?? []).flatMap<BriefImGroup['affiliations'][number]>(
      ({ user_id }) =>
        user_id === row.owner_id
          ? [{ owner: String(user_id) }]
          : enabled.has(user_id)
            ? [{ member: String(user_id) }]
            : [],
    )
    return { ...settingsView(ctx, row), affiliations_count: affiliations.length, affiliations }
  })
}

export function imGroupRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Instant messaging' })

  route('GET /im/group', {
    operationId: 'listImGroups',
    aliases: { easemobListImGroups: '/easemob/group' },
    summary: 'Read groups with their members; groups hidden from the viewer are omitted',
    access: 'user',
    query: ImGroupsQuery,
    reply: { 200: Type.Array(ImGroup) },
    errors: [noSuchImGroup],
    handler: async ({ query, viewer }) =>
      imGroupViews(ctx, await getGroups(ctx, query.im_group_id, viewer.id), viewer.id),
  })

  route('GET /im/groups', {
    operationId: 'listImGroupsBriefly',
    aliases: { easemobListImGroupsBriefly: '/easemob/groups' },
    summary: 'Read groups with the account names of their members',
    access: 'user',
    query: ImGroupsQuery,
    reply: { 200: Type.Array(BriefImGroup) },
    errors: [noSuchImGroup],
    handler: async ({ query, viewer }) =>
      briefImGroupViews(ctx, await getGroups(ctx, query.im_group_id, viewer.id)),
  })

  route('POST /im/group', {
    operationId: 'createImGroup',
    aliases: { easemobCreateImGroup: '/easemob/group' },
    summary: 'Create a group',
    access: 'user',
    body: NewImGroup,
    reply: { 201: ImGroupMade, 202: ImGroupMade },
    errors: [unknownMember, tooManyMembers, blocked],
    handler: async ({ request, reply, viewer, body }) => {
      const { wireId, confirmed } = await createGroup(ctx, viewer.id, body)
      reply.code(madeStatus(confirmed))
      return { ...localizedMessage(request, 'The group was created.', '群聊创建成功。'), im_group_id: wireId }
    },
  })

  route('PATCH /im/group', {
    operationId: 'updateImGroup',
    aliases: { easemobUpdateImGroup: '/easemob/group' },
    summary: 'Replace the settings of a group; absent fields except the picture become defaults',
    access: 'user',
    body: ImGroupChange,
    reply: { 201: ImGroupChanged, 202: ImGroupChanged },
    errors: [noSuchImGroup, notOwner, unknownMember, tooManyMembers, blocked, fileNotUsable],
    handler: async ({ reply, viewer, body }) => {
      const { before, after, confirmed } = await changeGroup(ctx, viewer.id, body)
      reply.code(madeStatus(confirmed))
      return {
        groupname: after.name,
        desc: after.description,
        public: after.public,
        maxusers: after.max_users,
        members_only: after.members_only,
        allowinvites: after.allow_invites,
        group_face: faceUrl(ctx, after.face_id),
        im_group_id: after.wire_id,
        ...(after.owner_id === before.owner_id ? {} : { newowner: String(after.owner_id) }),
      }
    },
  })

  route('DELETE /im/group', {
    operationId: 'deleteImGroup',
    aliases: { easemobDeleteImGroup: '/easemob/group' },
    summary: 'Delete a group',
    access: 'user',
    body: ImGroupId,
    reply: { 204: Empty },
    errors: [noSuchImGroup, notOwner],
    handler: ({ viewer, body }) => deleteGroup(ctx, viewer.id, body.im_group_id),
  })

  route('GET /im/group/face', {
    operationId: 'listImGroupFaces',
    aliases: { easemobListImGroupFaces: '/easemob/group/face' },
    summary: 'List the uploads used as group pictures; 0 for none',
    access: 'user',
    query: ImGroupsQuery,
    reply: { 200: Type.Array(ImGroupFace) },
    handler: async ({ query, viewer }) => {
      const rows = await findVisibleGroups(ctx, query.im_group_id, viewer.id)
      return rows.map(({ wire_id, face_id }) => ({ im_group_id: wire_id, group_face: face_id ?? 0 }))
    },
  })

  route('POST /im/group/member', {
    operationId: 'addImGroupMembers',
    aliases: { easemobAddImGroupMembers: '/easemob/group/member' },
    summary: 'Add people to a group',
    access: 'user',
    body: ImMemberChange,
    reply: { 201: Nothing, 202: Nothing },
    errors: [noSuchImGroup, notOwner, mayNotInvite, unknownMember, tooManyMembers, blocked],
    handler: async ({ reply, viewer, body }) => {
      reply.code(madeStatus(await addMembers(ctx, viewer.id, body)))
      return []
    },
  })

  route('DELETE /im/group/member', {
    operationId: 'removeImGroupMembers',
    aliases: { easemobRemoveImGroupMembers: '/easemob/group/member' },
    summary: 'Remove people from a group, or leave it',
    access: 'user',
    body: ImMemberChange,
    reply: { 204: Empty },
    errors: [noSuchImGroup, notOwner, unknownMember, ownerStays],
    handler: ({ viewer, body }) => removeMembers(ctx, viewer.id, body),
  })
}
