import { withWireTimes } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { findUser, listUsers } from './queries.ts'
import { ManagedUser, ManagedUserListing, ManagedUserQuery, UserChanges, UserInput } from './schema.ts'
import { addUser, changeUser } from './service.ts'

const view = (row: ManagedUser): ManagedUser => ({
  ...withWireTimes(row),
})

export function managedUserRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const params = Type.Object({ user: Id })

  server.get(
    '/admin/users',
    {
      config: { access: { ability: 'admin:user:show' } },
      schema: {
        tags,
        summary: 'Accounts, disabled ones included; `q` searches names',
        querystring: ManagedUserQuery,
        response: { 200: ManagedUserListing },
      },
    },
    async (request) => {
      const { data, total } = await listUsers(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/users/:user',
    {
      config: { access: { ability: 'admin:user:show' } },
      schema: { tags, params, response: { 200: ManagedUser } },
    },
    async (request) => {
      const row = await findUser(sql, request.params.user)
      if (!row) throw notFound()
      return view(row)
    },
  )

  server.post(
    '/admin/users',
    {
      config: { access: { ability: 'admin:user:add' } },
      schema: { tags, summary: 'Create an account', body: UserInput, response: { 201: Created } },
    },
    async (request, reply) => reply.code(201).send({ id: await addUser(ctx, request, request.body) }),
  )

  server.patch(
    '/admin/users/:user',
    {
      config: {
        access: { ability: 'admin:user:update' },
        before: async (request) => {
          if (!(await findUser(sql, (request.params as { user: number }).user))) throw notFound()
        },
      },
      schema: {
        tags,
        summary: 'Change, disable or enable an account',
        params,
        body: UserChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await changeUser(ctx, request, request.params.user, request.body)
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/users/:user',
    {
      config: { access: { ability: 'admin:user:delete' } },
      schema: { tags, summary: 'Disable an account', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      await changeUser(ctx, request, request.params.user, { disabled: true })
      return reply.code(204).send()
    },
  )
}
