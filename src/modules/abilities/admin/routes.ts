import { withWireTimes } from '#lib/time.ts'
import { mountAdminCrud, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import { apiError, fieldError, invalidField, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { mayDoMore, newcomersAreMembers } from '../errors.ts'
import {
  deleteRole,
  findRole,
  findUnknownAbilities,
  holdsAll,
  insertRole,
  listRoles,
  opensAdministration,
  type RoleRow,
  updateRole,
} from '../roles/queries.ts'
import { AbilityView } from '../schema.ts'
import { announceAbilities, forgetAbilities } from '../service.ts'
import { listAbilities, updateAbility } from './queries.ts'
import { AbilityChanges, AbilityParams, AbilityQuery, RoleInput, RoleQuery, RoleView } from './schema.ts'

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
const roleNameTaken = fieldError(
  'name',
  'role_name_taken',
  'There is a role of this name already.',
  '角色名称已存在。',
)

/** Refuses abilities that do not exist, and a change of abilities that the actor does not hold. */
async function judge(db: Db, actor: number, abilities: string[] | undefined, former: string[] = []) {
  if (abilities === undefined) return
  const unknown = await findUnknownAbilities(db, abilities)
  if (unknown.length > 0)
    throw invalidField('abilities', {
      en: `There is no ability ${unknown[0]}.`,
      zh: `权限 ${unknown[0]} 不存在。`,
    })
  const changed = [
    ...abilities.filter((name) => !former.includes(name)),
    ...former.filter((name) => !abilities.includes(name)),
  ]
  if (!(await holdsAll(db, actor, changed))) throw mayDoMore()
}

/**
 * Roles and how abilities are called (administration-7). `findNewcomersRole` names the role of everybody who registers,
 * which the settings know.
 */
export const adminRoleRoutes =
  (findNewcomersRole: (ctx: Context) => Promise<string>) => (server: Server, ctx: Context) => {
    const { sql } = ctx
    const tag = 'Admin: people'
    const route = routesOn(server, ctx, { tag })

    /** What everybody gets who registers stays there, and never opens the administration. */
    const guardNewcomers = async (before: RoleRow, after?: Partial<Pick<RoleRow, 'name' | 'abilities'>>) => {
      if (before.name !== (await findNewcomersRole(ctx))) return
      if (after === undefined || (after.name !== undefined && after.name !== before.name))
        throw roleOfNewcomers()
      if (opensAdministration(after.abilities ?? [])) throw newcomersAreMembers('abilities')
    }

    mountAdminCrud(server, ctx, {
      path: '/admin/roles',
      tag,
      ability: {
        show: 'admin:role:show',
        add: 'admin:role:add',
        update: 'admin:role:update',
        delete: 'admin: Deleting role',
      },
      subject: 'roles',
      entity: 'Role',
      noun: 'a role',
      param: 'role',
      item: RoleView,
      query: RoleQuery,
      body: RoleInput,
      missing: notFound,
      errors: [mayDoMore, fixedRole, roleOfNewcomers, roleNameTaken],
      list: listRoles,
      find: findRole,
      view: async (rows) => rows.map(withWireTimes),
      async create(tx, actor, role) {
        await judge(tx, actor, role.abilities)
        return onConstraint(insertRole(tx, role), { roles_name_taken: roleNameTaken })
      },
      async change(tx, actor, role, changes) {
        const { name, abilities } = changes
        // Fixed roles are known by their names, and without the founder's abilities nobody could give them back.
        if (role.fixed && name !== undefined && name !== role.name) throw fixedRole()
        if (role.name === 'founder' && abilities !== undefined) throw fixedRole()
        await judge(tx, actor, abilities, role.abilities)
        await guardNewcomers(role, {
          ...(name === undefined ? {} : { name }),
          ...(abilities === undefined ? {} : { abilities }),
        })
        await onConstraint(updateRole(tx, role.id, changes), { roles_name_taken: roleNameTaken })
        announceAbilities(ctx, tx, '*')
      },
      async remove(tx, role, actor) {
        if (role.fixed) throw fixedRole()
        if (!(await holdsAll(tx, actor, role.abilities))) throw mayDoMore()
        await guardNewcomers(role)
        await deleteRole(tx, role.id)
        announceAbilities(ctx, tx, '*')
      },
      summary: ({ name, display_name, description, abilities }) => ({
        name,
        display_name,
        description,
        abilities,
      }),
      afterCommit: () => forgetAbilities(ctx, '*'),
    })

    route('GET /admin/abilities', {
      operationId: 'adminListAbilities',
      summary: 'List the abilities there are',
      access: { ability: 'admin:perm:show' },
      query: AbilityQuery,
      reply: { 200: Listing(AbilityView) },
      handler: ({ query }) => listAbilities(sql, query),
    })

    route('PATCH /admin/abilities/:ability', {
      operationId: 'adminUpdateAbility',
      summary: 'Change how an ability is called; its name stays',
      access: { ability: 'admin:perm:update' },
      params: AbilityParams,
      body: AbilityChanges,
      reply: { 204: Empty },
      errors: [notFound],
      handler: (call) =>
        transaction(sql, async (tx) => {
          const { params, body } = call
          const before = await updateAbility(tx, params.ability, body)
          if (!before) throw notFound()
          await recordAudit(tx, call, {
            action: 'abilities.update',
            subjectType: 'abilities',
            subjectId: params.ability,
            before,
            after: body,
          })
        }),
    })
  }
