import { fileNotUsable } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { blocked } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Empty, Type } from '#platform/schema.ts'
import { Nothing } from '../accounts/schema.ts'
import {
  mayNotInvite,
  noSuchImGroup,
  notOwner,
  ownerStays,
  tooManyMembers,
  unknownMember,
} from '../errors.ts'
import { madeStatus } from '../sync/background.ts'
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
  NewImGroup,
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
import { briefImGroupViews, faceUrl, imGroupViews } from './view.ts'

/** Groups at the chat provider (im-6 to im-10). */
export function imGroupRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Instant messaging' })

  route('GET /im/group', {
    operationId: 'listImGroups',
    aliases: { easemobListImGroups: '/easemob/group' },
    summary: 'Read groups with their members; those you may not know of are left out',
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
    summary: 'Read groups with the account names of their members alone',
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
      return { ...say(request, 'The group was created.', '群组创建成功。'), im_group_id: wireId }
    },
  })

  route('PATCH /im/group', {
    operationId: 'updateImGroup',
    aliases: { easemobUpdateImGroup: '/easemob/group' },
    summary: 'Change a group; what is absent becomes the default, its picture excepted',
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
    summary: 'List the uploads that are the pictures of groups, 0 for none',
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
