import type { FastifyRequest } from 'fastify'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import { payerOf, type Server, say, viewerId, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty, Message, Type } from '#platform/schema.ts'
import { GroupParams, MemberView } from '../schema.ts'
import { getManaged, getStanding } from '../service.ts'
import { memberViews } from '../view.ts'
import { countRoles, listMembers, listRequests } from './queries.ts'
import {
  AuditBody,
  JoinBody,
  JoinRequest,
  MemberParams,
  MembersQuery,
  RequestsQuery,
  RoleCounts,
} from './schema.ts'
import { auditMember, getJoinable, joinGroup, leaveGroup, removeMember, requireMember } from './service.ts'
import { requestViews } from './view.ts'

const tags = ['Groups']
const groupOf = (request: FastifyRequest) => (request.params as { group: number }).group
const callOf = (request: FastifyRequest) => {
  const { group, member } = request.params as { group: number; member: number }
  return { groupId: group, memberId: member, actorId: viewerOf(request).id }
}

/** Who is in a circle, and how people join and leave it (R §20.2.1). */
export function memberRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const onMember = (request: FastifyRequest) => {
    const { groupId, memberId, actorId } = callOf(request)
    return requireMember(sql, groupId, memberId, actorId)
  }

  for (const [path, currency] of [
    ['/groups/:group', 'wallet'],
    ['/currency-groups/:group', 'points'],
  ] as const)
    server.put(
      path,
      {
        config: {
          access: 'user',
          before: (request) => getJoinable(sql, groupOf(request), viewerOf(request).id),
        },
        schema: {
          tags,
          summary: `Join a group, or ask to; a paid one is paid from the ${currency}`,
          params: GroupParams,
          body: JoinBody,
          response: { 201: Message },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, async (atomically) => {
          const { id: viewer } = viewerOf(request)
          const group = await getJoinable(sql, request.params.group, viewer)
          if (group.mode === 'paid') await checkPaymentPassword(ctx, payerOf(ctx, { request, reply }))
          return atomically(async (tx) => {
            const inside = await joinGroup(tx, group, viewer, currency)
            const body = inside
              ? say(request, 'Joined.', '加入成功。')
              : say(request, 'Your request waits for review.', '申请已提交，等待审核。')
            return { status: 201, body }
          })
        }),
    )

  server.delete(
    '/groups/:group/exit',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Leave a group, or take a request to join back',
        params: GroupParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await leaveGroup(ctx, request.params.group, viewerOf(request).id)
      return reply.code(204).send()
    },
  )

  server.get(
    '/groups/:group/members',
    {
      config: {
        access: 'optional',
        before: (request) => getStanding(sql, groupOf(request), viewerId(request)),
      },
      schema: {
        tags,
        summary: 'List the members of a group; managers also see its blacklist and who waits',
        params: GroupParams,
        querystring: MembersQuery,
        response: { 200: Type.Array(MemberView) },
      },
    },
    async (request) => {
      const viewer = viewerId(request)
      const open = ['all', 'manager', 'member'].includes(request.query.type ?? 'all')
      await (open ? getStanding : getManaged)(sql, request.params.group, viewer)
      return memberViews(ctx, await listMembers(sql, request.params.group, request.query), viewer)
    },
  )

  server.get(
    '/groups/:group/role/count',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Count members and managers',
        params: GroupParams,
        response: { 200: RoleCounts },
      },
    },
    async (request) => {
      await getStanding(sql, request.params.group, viewerOf(request).id)
      return countRoles(sql, request.params.group)
    },
  )

  server.get(
    '/user-group-audit-members',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'List requests to join the groups that I manage',
        querystring: RequestsQuery,
        response: { 200: Type.Array(JoinRequest) },
      },
    },
    async (request) => {
      const { id: viewer } = viewerOf(request)
      return requestViews(ctx, await listRequests(sql, viewer, request.query), viewer)
    },
  )

  // What was paid decides in which currency it goes on, whatever the path says.
  for (const path of [
    '/groups/:group/members/:member/audit',
    '/currency-groups/:group/members/:member/audit',
  ])
    server.patch(
      path,
      {
        config: { access: 'user', before: onMember },
        schema: {
          tags,
          summary: 'Accept or reject a request to join',
          params: MemberParams,
          body: AuditBody,
          response: { 201: Message },
        },
      },
      (request, reply) =>
        once(ctx, request, reply, (atomically) =>
          atomically(async (tx) => {
            const { groupId, memberId, actorId: by } = callOf(request)
            await auditMember(tx, { groupId, memberId, accept: request.body.status === 1, by })
            return { status: 201, body: say(request, 'Done.', '操作成功。') }
          }),
        ),
    )

  server.delete(
    '/groups/:group/members/:member',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Remove a member of lower rank',
        params: MemberParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await removeMember(ctx, callOf(request))
      return reply.code(204).send()
    },
  )
}
