import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { routesOn } from '#platform/http/route.ts'
import { type Server, say } from '#platform/http.ts'
import { Empty, Message } from '#platform/schema.ts'
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
import { rolesOf } from '../standing/schema.ts'
import { getManaged, getOwned } from '../standing/service.ts'

type MemberPath = { params: { group: number; member: number }; viewer: { id: number } }
const callOf = ({ params, viewer }: MemberPath) => ({
  groupId: params.group,
  memberId: params.member,
  actorId: viewer.id,
})

/** Who may do what in a group: its administrators, its blacklist, who may post, and whose it is (groups-11 to groups-15). */
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
      return say(call.request, 'Done.', '设置成功。')
    },
  })

  route('DELETE /groups/:group/managers/:member', {
    operationId: 'removeGroupAdministrator',
    summary: 'Make an administrator a plain member',
    access: 'user',
    params: MemberParams,
    reply: { 204: Empty },
    errors: [...FOUNDER_ERRORS, notAdministrator],
    handler: (call) => removeAdministrator(ctx, callOf(call)),
  })

  route('PUT /groups/:group/blacklist/:member', {
    operationId: 'blacklistGroupMember',
    summary: 'Put a member of lower rank on the blacklist: they write nothing, and read what everybody may',
    access: 'user',
    params: MemberParams,
    reply: { 201: Message },
    errors: MEMBER_ERRORS,
    handler: async (call) => {
      await setBlacklisted(ctx, callOf(call), true)
      return say(call.request, 'Done.', '已加入黑名单。')
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
    whenInvalid: ({ params, viewer }) => getManaged(sql, params.group, viewer.id),
    handler: async ({ request, params, viewer, body }) => {
      await transaction(sql, async (tx) => {
        await getManaged(tx, params.group, viewer.id, { lock: true })
        await updateGroup(tx, params.group, { permissions: rolesOf(body.permissions) })
      })
      return say(request, 'Changed.', '设置成功。')
    },
  })

  route('PATCH /groups/:group/owner', {
    operationId: 'handOverGroup',
    summary: 'Hand the group over to one of its members',
    access: 'user',
    params: GroupParams,
    body: Handover,
    reply: { 201: Message },
    errors: [noSuchGroup, notFounder, applicantsWait, notEligible],
    whenInvalid: ({ params, viewer }) => getOwned(sql, params.group, viewer.id),
    handler: async ({ request, params, viewer, body }) => {
      await transferGroup(ctx, params.group, viewer.id, body.target)
      return say(request, 'Handed over.', '转让成功。')
    },
  })
}
