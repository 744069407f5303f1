import type { FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { Empty, Message } from '#platform/schema.ts'
import { updateGroup } from '../circles/queries/changes.ts'
import { MemberParams, OwnerBody, PermissionsBody } from '../members/schema.ts'
import { addAdministrator, removeAdministrator, setBlacklisted, transferGroup } from '../members/service.ts'
import { GroupParams, type Role } from '../schema.ts'
import { getManaged, getOwned } from '../service.ts'

const tags = ['Groups']
const groupOf = (request: FastifyRequest) => (request.params as { group: number }).group
const callOf = (request: FastifyRequest) => {
  const { group, member } = request.params as { group: number; member: number }
  return { groupId: group, memberId: member, actorId: viewerOf(request).id }
}

/** Who may do what in a circle: its administrators, its blacklist, who may post, and whose it is (R §20.2.1). */
export function groupRoleRoutes(server: Server, ctx: Context) {
  const { sql } = ctx

  server.put(
    '/groups/:group/managers/:member',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Make a member an administrator',
        params: MemberParams,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await addAdministrator(ctx, callOf(request))
      return reply.code(201).send(say(request, 'Done.', '设置成功。'))
    },
  )

  server.delete(
    '/groups/:group/managers/:member',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Make an administrator a plain member',
        params: MemberParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await removeAdministrator(ctx, callOf(request))
      return reply.code(204).send()
    },
  )

  server.put(
    '/groups/:group/blacklist/:member',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Put a member of lower rank on the blacklist: they read, but write nothing',
        params: MemberParams,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await setBlacklisted(ctx, callOf(request), true)
      return reply.code(201).send(say(request, 'Done.', '已加入黑名单。'))
    },
  )

  server.delete(
    '/groups/:group/blacklist/:member',
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Take a member off the blacklist',
        params: MemberParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await setBlacklisted(ctx, callOf(request), false)
      return reply.code(204).send()
    },
  )

  server.patch(
    '/groups/:group/permissions',
    {
      config: {
        access: 'user',
        before: (request) => getManaged(sql, groupOf(request), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Choose the roles that may post',
        params: GroupParams,
        body: PermissionsBody,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      const { group } = request.params
      await transaction(sql, async (tx) => {
        await getManaged(tx, group, viewerOf(request).id, { lock: true })
        await updateGroup(tx, group, { permissions: [...new Set(request.body.permissions)] as Role[] })
      })
      return reply.code(201).send(say(request, 'Changed.', '设置成功。'))
    },
  )

  server.patch(
    '/groups/:group/owner',
    {
      config: {
        access: 'user',
        before: (request) => getOwned(sql, groupOf(request), viewerOf(request).id),
      },
      schema: {
        tags,
        summary: 'Hand the group over to one of its members',
        params: GroupParams,
        body: OwnerBody,
        response: { 201: Message },
      },
    },
    async (request, reply) => {
      await transferGroup(ctx, request.params.group, viewerOf(request).id, request.body.target)
      return reply.code(201).send(say(request, 'Handed over.', '转让成功。'))
    },
  )
}
