import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { Empty, localizedMessage, Message, routesOn, type Server } from '#platform/http'
import { rolesOf } from '../access/schema.ts'
import { getManagedGroup, getOwnedGroup } from '../access/service.ts'
import {
  applicantsWait,
  FOUNDER_ERRORS,
  MEMBER_ERRORS,
  noSuchGroup,
  notAdministrator,
  notEligible,
  notFounder,
  notManager,
  tooManyAdministrators,
} from '../errors.ts'
import { Handover, MemberParams, PostPermissions } from '../members/schema.ts'
import { addAdministrator, removeAdministrator, setBlacklisted, transferGroup } from '../members/service.ts'
import { updateGroup } from '../queries.ts'
import { GroupParams } from '../schema.ts'

type MemberPath = { params: { group: number; member: number }; viewer: { id: number } }
const callOf = ({ params, viewer }: MemberPath) => ({
  groupId: params.group,
  memberId: params.member,
  actorId: viewer.id,
})

/** Roles in a group: administrators, blacklist, posting permissions and founder (groups-11 to groups-15). */
export function groupRoleRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('PUT /groups/:group/managers/:member', {
    operationId: 'addGroupAdministrator',
    summary: 'Make a member an administrator',
    access: 'user',
    params: MemberParams,
    reply: { 201: Message },
    errors: [...FOUNDER_ERRORS, notEligible, tooManyAdministrators],
    handler: async (call) => {
      await addAdministrator(ctx, callOf(call))
      return localizedMessage(call.request, 'Done.', '设置成功。')
    },
  })

  route('DELETE /groups/:group/managers/:member', {
    operationId: 'removeGroupAdministrator',
    summary: 'Demote an administrator to member',
    access: 'user',
    params: MemberParams,
    reply: { 204: Empty },
    errors: [...FOUNDER_ERRORS, notAdministrator],
    handler: (call) => removeAdministrator(ctx, callOf(call)),
  })

  route('PUT /groups/:group/blacklist/:member', {
    operationId: 'blacklistGroupMember',
    summary: 'Blacklist a member of lower rank; they cannot post and see only public content',
    access: 'user',
    params: MemberParams,
    reply: { 201: Message },
    errors: MEMBER_ERRORS,
    handler: async (call) => {
      await setBlacklisted(ctx, callOf(call), true)
      return localizedMessage(call.request, 'Done.', '已加入黑名单。')
    },
  })

  route('DELETE /groups/:group/blacklist/:member', {
    operationId: 'unblacklistGroupMember',
    summary: 'Take a member off the blacklist',
    access: 'user',
    params: MemberParams,
    reply: { 204: Empty },
    errors: MEMBER_ERRORS,
    handler: (call) => setBlacklisted(ctx, callOf(call), false),
  })

  route('PATCH /groups/:group/permissions', {
    operationId: 'updateGroupPermissions',
    summary: 'Choose the roles that may post',
    access: 'user',
    params: GroupParams,
    body: PostPermissions,
    reply: { 201: Message },
    errors: [noSuchGroup, notManager],
    precheck: ({ params, viewer }) => getManagedGroup(sql, params.group, viewer.id),
    handler: async ({ request, params, viewer, body }) => {
      await transaction(sql, async (tx) => {
        await getManagedGroup(tx, params.group, viewer.id, { lock: true })
        await updateGroup(tx, params.group, { permissions: rolesOf(body.permissions) })
      })
      return localizedMessage(request, 'Changed.', '设置成功。')
    },
  })

  route('PATCH /groups/:group/owner', {
    operationId: 'handOverGroup',
    summary: 'Transfer ownership of a group to a member',
    access: 'user',
    params: GroupParams,
    body: Handover,
    reply: { 201: Message },
    errors: [noSuchGroup, notFounder, applicantsWait, notEligible],
    precheck: ({ params, viewer }) => getOwnedGroup(sql, params.group, viewer.id),
    handler: async ({ request, params, viewer, body }) => {
      await transferGroup(ctx, params.group, viewer.id, body.target)
      return localizedMessage(request, 'Handed over.', '转让成功。')
    },
  })
}
