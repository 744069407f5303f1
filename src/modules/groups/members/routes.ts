import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import { userViews } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { Empty, localizedMessage, Message, payerOf, routesOn, type Server, Type } from '#platform/http'
import { memberRecord, memberViews } from '../access/queries.ts'
import { getGroupAccess, getManagedGroup, getOwnedGroup, manages } from '../access/service.ts'
import {
  applicantsWait,
  cannotPay,
  FOUNDER_ERRORS,
  founderStays,
  joinedAlready,
  MEMBER_ERRORS,
  memberDisabled,
  noSuchGroup,
  noSuchMember,
  notAdministrator,
  notAudited,
  notEligible,
  notFounder,
  notManager,
  notMember,
  requestHandled,
  tooManyAdministrators,
} from '../errors.ts'
import { updateGroup } from '../queries.ts'
import { GroupParams, MemberView, rolesOf } from '../schema.ts'
import { groupsById } from '../view.ts'
import { countRoles, findMembersById, listMembers, listRequests, type RequestRow } from './queries.ts'
import {
  Handover,
  JoinBody,
  JoinDecision,
  JoinRequest,
  MemberParams,
  MembersQuery,
  OPEN_MEMBER_TYPES,
  PostPermissions,
  RequestsQuery,
  RoleCounts,
} from './schema.ts'
import {
  addAdministrator,
  auditMember,
  getJoinable,
  joinGroup,
  leaveGroup,
  removeAdministrator,
  removeMember,
  requireMember,
  setBlacklisted,
  transferGroup,
} from './service.ts'

async function requestViews(ctx: Context, rows: RequestRow[], viewerId: number): Promise<JoinRequest[]> {
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

export function groupMemberRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  for (const { path, currency, operationId } of [
    { path: '/groups/:group', currency: 'wallet', operationId: 'joinGroup' },
    { path: '/currency-groups/:group', currency: 'points', operationId: 'joinGroupWithPoints' },
  ] as const)
    route(`PUT ${path}`, {
      operationId,
      summary: `Join a group, or ask to; a paid group costs a fee in ${currency}`,
      access: 'user',
      params: GroupParams,
      body: JoinBody,
      reply: { 201: Message },
      errors: [noSuchGroup, notAudited, joinedAlready, blocked, cannotPay, ...PAYMENT_PASSWORD_ERRORS],
      load: ({ params, viewer }) => getJoinable(sql, params.group, viewer.id),
      idempotent: true,
      handler: async ({ request, reply, viewer, loaded: group, atomically }) => {
        if (group.mode === 'paid') await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
        return atomically(async (tx) => {
          const inside = await joinGroup(tx, group, viewer.id, currency)
          return inside
            ? localizedMessage(request, 'Joined.', '加入成功。')
            : localizedMessage(request, 'Your request is waiting for review.', '申请已提交，等待审核。')
        })
      },
    })

  route('DELETE /groups/:group/exit', {
    operationId: 'leaveGroup',
    summary: 'Leave a group, or cancel a request to join',
    access: 'user',
    params: GroupParams,
    reply: { 204: Empty },
    errors: [noSuchGroup, notMember, founderStays, memberDisabled],
    handler: ({ params, viewer }) => leaveGroup(ctx, params.group, viewer.id),
  })

  route('GET /groups/:group/members', {
    operationId: 'listGroupMembers',
    summary: 'List the members of a group; managers also see blacklisted and pending ones',
    access: 'optional',
    params: GroupParams,
    query: MembersQuery,
    reply: { 200: Type.Array(MemberView) },
    errors: [noSuchGroup, notManager],
    precheck: ({ params, viewer }) => getGroupAccess(sql, params.group, viewer.id),
    handler: async ({ params, query, viewer }) => {
      const isOpen = OPEN_MEMBER_TYPES.includes(query.type ?? 'all')
      const access = await (isOpen ? getGroupAccess : getManagedGroup)(sql, params.group, viewer.id)
      const hideFrom = manages(access) ? 0 : viewer.id
      return memberViews(ctx, await listMembers(sql, params.group, query, hideFrom), viewer.id)
    },
  })

  route('GET /groups/:group/role/count', {
    operationId: 'countGroupRoles',
    summary: 'Count members and managers',
    access: 'user',
    params: GroupParams,
    reply: { 200: RoleCounts },
    errors: [noSuchGroup],
    load: ({ params, viewer }) => getGroupAccess(sql, params.group, viewer.id),
    handler: ({ params }) => countRoles(sql, params.group),
  })

  route('GET /user-group-audit-members', {
    operationId: 'listJoinRequests',
    summary: 'List join requests of groups that I manage',
    access: 'user',
    query: RequestsQuery,
    reply: { 200: Type.Array(JoinRequest) },
    handler: async ({ query, viewer }) =>
      requestViews(ctx, await listRequests(sql, viewer.id, query), viewer.id),
  })

  route('PATCH /groups/:group/members/:member/audit', {
    operationId: 'decideJoinRequest',
    // The stored join request names its currency, so both paths run the same handler.
    aliases: { decideJoinRequestWithPoints: '/currency-groups/:group/members/:member/audit' },
    summary: 'Accept or reject a request to join',
    access: 'user',
    params: MemberParams,
    body: JoinDecision,
    reply: { 201: Message },
    errors: [noSuchGroup, noSuchMember, notManager, requestHandled],
    precheck: ({ params, viewer }) => requireMember(sql, params.group, params.member, viewer.id),
    idempotent: true,
    handler: ({ request, params, viewer, body, atomically }) =>
      atomically(async (tx) => {
        const { group: groupId, member: memberId } = params
        await auditMember(tx, { groupId, memberId, accept: body.status === 1, by: viewer.id })
        return localizedMessage(request, 'Done.', '操作成功。')
      }),
  })

  route('DELETE /groups/:group/members/:member', {
    operationId: 'removeGroupMember',
    summary: 'Remove a member of lower rank',
    access: 'user',
    params: MemberParams,
    reply: { 204: Empty },
    errors: MEMBER_ERRORS,
    handler: ({ params, viewer }) =>
      removeMember(ctx, { groupId: params.group, memberId: params.member, actorId: viewer.id }),
  })
}

type MemberPath = { params: { group: number; member: number }; viewer: { id: number } }
const callOf = ({ params, viewer }: MemberPath) => ({
  groupId: params.group,
  memberId: params.member,
  actorId: viewer.id,
})

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
    summary: 'Blacklist a member of lower rank, who then cannot post and sees only public content',
    access: 'user',
    params: MemberParams,
    reply: { 201: Message },
    errors: MEMBER_ERRORS,
    handler: async (call) => {
      await setBlacklisted(ctx, callOf(call), true)
      return localizedMessage(call.request, 'Blacklisted.', '已加入黑名单。')
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
      return localizedMessage(request, 'Ownership transferred.', '转让成功。')
    },
  })
}
