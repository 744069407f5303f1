import { checkPaymentPassword, PAYMENT_PASSWORD_ERRORS } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { routesOn } from '#platform/http/route.ts'
import { payerOf, type Server, say } from '#platform/http.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import {
  cannotPay,
  founderStays,
  joinedAlready,
  MEMBER_ERRORS,
  memberDisabled,
  noSuchGroup,
  noSuchMember,
  notAudited,
  notManager,
  notMember,
  requestHandled,
} from '../errors.ts'
import { GroupParams } from '../schema.ts'
import { MemberView } from '../standing/schema.ts'
import { getManaged, getStanding } from '../standing/service.ts'
import { memberViews } from '../standing/view.ts'
import { countRoles, listMembers, listRequests } from './queries.ts'
import {
  JoinBody,
  JoinDecision,
  JoinRequest,
  MemberParams,
  MembersQuery,
  OPEN_MEMBER_TYPES,
  RequestsQuery,
  RoleCounts,
} from './schema.ts'
import { auditMember, getJoinable, joinGroup, leaveGroup, removeMember, requireMember } from './service.ts'
import { requestViews } from './view.ts'

/** Who is in a group, and how people join and leave it (groups-7 to groups-13). */
export function groupMemberRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  for (const { path, currency, operationId } of [
    { path: '/groups/:group', currency: 'wallet', operationId: 'joinGroup' },
    { path: '/currency-groups/:group', currency: 'points', operationId: 'joinGroupWithPoints' },
  ] as const)
    route(`PUT ${path}`, {
      operationId,
      summary: `Join a group, or ask to; a paid one is paid from the ${currency}`,
      access: 'user',
      params: GroupParams,
      body: JoinBody,
      reply: { 201: Message },
      errors: [noSuchGroup, notAudited, joinedAlready, cannotPay, ...PAYMENT_PASSWORD_ERRORS],
      load: ({ params, viewer }) => getJoinable(sql, params.group, viewer.id),
      idempotent: true,
      handler: async ({ request, reply, viewer, loaded: group, atomically }) => {
        if (group.mode === 'paid') await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
        return atomically(async (tx) => {
          const inside = await joinGroup(tx, group, viewer.id, currency)
          return inside
            ? say(request, 'Joined.', '加入成功。')
            : say(request, 'Your request waits for review.', '申请已提交，等待审核。')
        })
      },
    })

  route('DELETE /groups/:group/exit', {
    operationId: 'leaveGroup',
    summary: 'Leave a group, or take a request to join back',
    access: 'user',
    params: GroupParams,
    reply: { 204: Empty },
    errors: [noSuchGroup, notMember, founderStays, memberDisabled],
    handler: ({ params, viewer }) => leaveGroup(ctx, params.group, viewer.id),
  })

  route('GET /groups/:group/members', {
    operationId: 'listGroupMembers',
    summary: 'List the members of a group; managers also see its blacklist and who waits',
    access: 'optional',
    kept: 'each',
    params: GroupParams,
    query: MembersQuery,
    reply: { 200: Type.Array(MemberView) },
    errors: [noSuchGroup, notManager],
    whenInvalid: ({ params, viewer }) => getStanding(sql, params.group, viewer.id),
    handler: async ({ params, query, viewer }) => {
      const isOpen = OPEN_MEMBER_TYPES.includes(query.type ?? 'all')
      await (isOpen ? getStanding : getManaged)(sql, params.group, viewer.id)
      return memberViews(ctx, await listMembers(sql, params.group, query), viewer.id)
    },
  })

  route('GET /groups/:group/role/count', {
    operationId: 'countGroupRoles',
    summary: 'Count members and managers',
    access: 'user',
    params: GroupParams,
    reply: { 200: RoleCounts },
    errors: [noSuchGroup],
    load: ({ params, viewer }) => getStanding(sql, params.group, viewer.id),
    handler: ({ params }) => countRoles(sql, params.group),
  })

  route('GET /user-group-audit-members', {
    operationId: 'listJoinRequests',
    summary: 'List requests to join the groups that I manage',
    access: 'user',
    query: RequestsQuery,
    reply: { 200: Type.Array(JoinRequest) },
    handler: async ({ query, viewer }) =>
      requestViews(ctx, await listRequests(sql, viewer.id, query), viewer.id),
  })

  route('PATCH /groups/:group/members/:member/audit', {
    operationId: 'decideJoinRequest',
    // What was paid decides in which currency it goes on, whatever the path says.
    aliases: { decideJoinRequestWithPoints: '/currency-groups/:group/members/:member/audit' },
    summary: 'Accept or reject a request to join',
    access: 'user',
    params: MemberParams,
    body: JoinDecision,
    reply: { 201: Message },
    errors: [noSuchGroup, noSuchMember, notManager, requestHandled],
    whenInvalid: ({ params, viewer }) => requireMember(sql, params.group, params.member, viewer.id),
    idempotent: true,
    handler: ({ request, params, viewer, body, atomically }) =>
      atomically(async (tx) => {
        const { group: groupId, member: memberId } = params
        await auditMember(tx, { groupId, memberId, accept: body.status === 1, by: viewer.id })
        return say(request, 'Done.', '操作成功。')
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
