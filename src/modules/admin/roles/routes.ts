import type { FastifyRequest } from 'fastify'
import { withWireTimes } from '#lib/time.ts'
import { announceAbilities, forgetAbilities } from '#modules/abilities/index.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, transaction } from '#platform/database.ts'
import { apiError, invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty, Id, Text, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { mayDoMore, newcomersAreMembers } from '../errors.ts'
import {
  deleteRole,
  findRole,
  findUnknownAbilities,
  holdsAll,
  insertRole,
  listAbilities,
  listRoles,
  opensAdministration,
  type RoleRow,
  updateAbility,
  updateRole,
} from './queries.ts'
import {
  AbilityChanges,
  AbilityListing,
  AbilityQuery,
  RoleChanges,
  RoleInput,
  RoleListing,
  RoleQuery,
  RoleView,
} from './schema.ts'

const fixedRole = apiError(
  403,
  'role_fixed',
  'This role belongs to the product and stays as it is.',
  '该角色为系统内置，不可更改或删除。',
)

const roleOfNewcomers = apiError(
  422,
  'role_of_newcomers',
  'Everybody who registers gets this role: choose another for them first.',
  '该角色是注册默认角色，请先更换默认角色。',
)

const roleNameTaken = () =>
  invalidField(
    'name',
    { en: 'There is a role of this name already.', zh: '角色名称已存在。' },
    'role_name_taken',
  )

const view = (row: RoleRow) => ({
  ...withWireTimes(row),
})

const summary = ({ name, display_name, description, abilities }: RoleRow) => ({
  name,
  display_name,
  description,
  abilities,
})

export function roleRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const params = Type.Object({ role: Id })

  const judge = async (request: FastifyRequest, abilities: string[] | undefined, former: string[] = []) => {
    if (abilities === undefined) return
    const unknown = await findUnknownAbilities(sql, abilities)
    if (unknown.length > 0)
      throw invalidField('abilities', {
        en: `There is no ability ${unknown[0]}.`,
        zh: `权限 ${unknown[0]} 不存在。`,
      })
    const changed = [
      ...abilities.filter((name) => !former.includes(name)),
      ...former.filter((name) => !abilities.includes(name)),
    ]
    if (!(await holdsAll(sql, viewerOf(request).id, changed))) throw mayDoMore()
  }

  /** What everybody gets who registers stays there, and never opens the administration. */
  const guardNewcomers = async (before: RoleRow, after?: { name?: string; abilities?: string[] }) => {
    if (before.name !== (await readSettings(ctx))['register:role']) return
    if (after === undefined || (after.name !== undefined && after.name !== before.name))
      throw roleOfNewcomers()
    if (opensAdministration(after.abilities ?? [])) throw newcomersAreMembers('abilities')
  }

  server.get(
    '/admin/roles',
    {
      config: { access: { ability: 'admin:role:show' } },
      schema: { tags, querystring: RoleQuery, response: { 200: RoleListing } },
    },
    async (request) => {
      const { data, total } = await listRoles(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/roles/:role',
    {
      config: { access: { ability: 'admin:role:show' } },
      schema: { tags, params, response: { 200: RoleView } },
    },
    async (request) => {
      const row = await findRole(sql, request.params.role)
      if (!row) throw notFound()
      return view(row)
    },
  )

  server.post(
    '/admin/roles',
    {
      config: { access: { ability: 'admin:role:add' } },
      schema: { tags, body: RoleInput, response: { 201: Created } },
    },
    async (request, reply) => {
      await judge(request, request.body.abilities)
      const id = await transaction(sql, async (tx) => {
        const made = await onConstraint(insertRole(tx, request.body), { roles_name_taken: roleNameTaken })
        await recordAudit(tx, request, {
          action: 'roles.create',
          subjectType: 'roles',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/roles/:role',
    {
      config: {
        access: { ability: 'admin:role:update' },
        before: async (request) => {
          if (!(await findRole(sql, (request.params as { role: number }).role))) throw notFound()
        },
      },
      schema: { tags, params, body: RoleChanges, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { role } = request.params
      const before = await findRole(sql, role)
      if (!before) throw notFound()
      const { name, abilities } = request.body
      // Fixed roles are known by their names, and without the founder's abilities nobody could give them back.
      if (before.fixed && name !== undefined && name !== before.name) throw fixedRole()
      if (before.name === 'founder' && abilities !== undefined) throw fixedRole()
      await judge(request, abilities, before.abilities)
      await guardNewcomers(before, request.body)
      await transaction(sql, async (tx) => {
        await onConstraint(updateRole(tx, role, request.body), { roles_name_taken: roleNameTaken })
        await announceAbilities(ctx, tx, '*')
        await recordAudit(tx, request, {
          action: 'roles.update',
          subjectType: 'roles',
          subjectId: role,
          before: summary(before),
          after: request.body,
        })
      })
      forgetAbilities(ctx, '*')
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/roles/:role',
    {
      config: { access: { ability: 'admin: Deleting role' } },
      schema: { tags, params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { role } = request.params
      const before = await findRole(sql, role)
      if (!before) throw notFound()
      if (before.fixed) throw fixedRole()
      if (!(await holdsAll(sql, viewerOf(request).id, before.abilities))) throw mayDoMore()
      await guardNewcomers(before)
      await transaction(sql, async (tx) => {
        if (!(await deleteRole(tx, role))) throw notFound()
        await announceAbilities(ctx, tx, '*')
        await recordAudit(tx, request, {
          action: 'roles.delete',
          subjectType: 'roles',
          subjectId: role,
          before: summary(before),
        })
      })
      forgetAbilities(ctx, '*')
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/abilities',
    {
      config: { access: { ability: 'admin:perm:show' } },
      schema: { tags, querystring: AbilityQuery, response: { 200: AbilityListing } },
    },
    (request) => listAbilities(sql, request.query),
  )

  server.patch(
    '/admin/abilities/:ability',
    {
      config: { access: { ability: 'admin:perm:update' } },
      schema: {
        tags,
        params: Type.Object({ ability: Text(100) }),
        body: AbilityChanges,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { ability } = request.params
      await transaction(sql, async (tx) => {
        const before = await updateAbility(tx, ability, request.body)
        if (!before) throw notFound()
        await recordAudit(tx, request, {
          action: 'abilities.update',
          subjectType: 'abilities',
          subjectId: ability,
          before,
          after: request.body,
        })
      })
      return reply.code(204).send()
    },
  )
}
