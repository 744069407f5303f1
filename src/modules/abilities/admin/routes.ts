import { escapeLike } from '#lib/text.ts'
import { withWireTimes } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import {
  andAfterRow,
  type Db,
  ifGiven,
  limitClause,
  onConstraint,
  sortDirection,
  type Tables,
  transaction,
} from '#platform/database'
import { apiError, fieldError, invalidField, notFound } from '#platform/errors.ts'
import { Empty, Listing, pageOf, routesOn, type Server } from '#platform/http'
import {
  AbilityChanges,
  AbilityParams,
  AbilityQuery,
  deleteRole,
  findRole,
  findUnknownAbilities,
  holdsAll,
  includesAdministration,
  insertRole,
  listRoles,
  RoleInput,
  RoleQuery,
  type RoleRow,
  RoleView,
  updateRole,
} from '../roles/queries.ts'
import { AbilityView, beyondOwnAbilities, defaultRoleTooPowerful, invalidateAbilities } from '../service.ts'

function listAbilities(sql: Db, query: AbilityQuery) {
  const { order = 'asc', limit = 15, page = 1 } = query
  const where = sql`where true ${ifGiven(sql, query.q, (part) => sql`and name ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<Tables['abilities']>(
    sql,
    sql`select name, display_name, description from abilities ${where}
      ${andAfterRow(sql, query.after, sql`name`, sql`select ${query.after ?? ''}::text`, order)}
      order by name ${sortDirection(sql, order)} ${limitClause(sql, { limit, offset: (page - 1) * limit, after: query.after })}`,
    sql`select count(*)::int as total from abilities ${where}`,
  )
}

export async function updateAbility(
  sql: Db,
  name: string,
  changes: AbilityChanges,
): Promise<Pick<Tables['abilities'], 'display_name' | 'description'> | undefined> {
  const [row] = await sql<Pick<Tables['abilities'], 'display_name' | 'description'>[]>`
    update abilities a set display_name = ${changes.display_name ?? sql`a.display_name`},
      description = ${changes.description ?? sql`a.description`}
    from (select * from abilities where name = ${name} for update) as former
    where a.name = former.name returning former.display_name, former.description`
  return row
}

const fixedRole = apiError(
  403,
  'role_fixed',
  'This built-in role cannot be changed.',
  '该角色为系统内置，不可更改或删除。',
)
const roleOfNewcomers = apiError(
  422,
  'role_of_newcomers',
  'New users receive this role. Choose another role for them first.',
  '该角色是注册默认角色，请先更换默认角色。',
)
const roleNameTaken = fieldError(
  'name',
  'role_name_taken',
  'A role with this name already exists.',
  '角色名称已存在。',
)

/**
 * Throws for an unknown ability, or if the actor lacks an ability that a change adds to a role or removes from it.
 * Ignores the abilities of the member role.
 */
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
  if (!(await holdsAll(db, actor, changed))) throw beyondOwnAbilities()
}

export const adminRoleRoutes =
  (findNewcomersRole: (ctx: Context) => Promise<string>) => (server: Server, ctx: Context) => {
    const { sql } = ctx
    const tag = 'Admin: people'
    const route = routesOn(server, ctx, { tag })

    /** Throws if a change deletes or renames the default role, or grants the role administration access. */
    const guardNewcomers = async (before: RoleRow, after?: Partial<Pick<RoleRow, 'name' | 'abilities'>>) => {
      if (before.name !== (await findNewcomersRole(ctx))) return
      if (after === undefined || (after.name !== undefined && after.name !== before.name))
        throw roleOfNewcomers()
      if (includesAdministration(after.abilities ?? [])) throw defaultRoleTooPowerful('abilities')
    }

    mountAdminRecords(server, ctx, {
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
      nouns: 'roles',
      param: 'role',
      item: RoleView,
      query: RoleQuery,
      body: RoleInput,
      missing: notFound,
      errors: [beyondOwnAbilities, fixedRole, roleOfNewcomers, roleNameTaken],
      list: listRoles,
      find: findRole,
      view: async (rows) => rows.map(withWireTimes),
      async create(tx, actor, role) {
        await judge(tx, actor, role.abilities)
        return onConstraint(insertRole(tx, role), { roles_name_taken: roleNameTaken })
      },
      async change(tx, actor, role, changes) {
        const { name, abilities } = changes
        // The server looks up fixed roles by name, so their names must not change.
        if (role.fixed && name !== undefined && name !== role.name) throw fixedRole()
        // If the founder role lost its abilities, no user could restore them.
        if (role.name === 'founder' && abilities !== undefined) throw fixedRole()
        await judge(tx, actor, abilities, role.abilities)
        await guardNewcomers(role, {
          ...(name === undefined ? {} : { name }),
          ...(abilities === undefined ? {} : { abilities }),
        })
        await onConstraint(updateRole(tx, role.id, changes), { roles_name_taken: roleNameTaken })
        await invalidateAbilities(ctx, tx, '*')
      },
      async remove(tx, role, actor) {
        if (role.fixed) throw fixedRole()
        if (!(await holdsAll(tx, actor, role.abilities))) throw beyondOwnAbilities()
        await guardNewcomers(role)
        await deleteRole(tx, role.id)
        await invalidateAbilities(ctx, tx, '*')
      },
      summary: ({ name, display_name, description, abilities }) => ({
        name,
        display_name,
        description,
        abilities,
      }),
    })

    route('GET /admin/abilities', {
      operationId: 'adminListAbilities',
      summary: 'List all abilities',
      access: { ability: 'admin:perm:show' },
      query: AbilityQuery,
      reply: { 200: Listing(AbilityView) },
      handler: ({ query }) => listAbilities(sql, query),
    })

    route('PATCH /admin/abilities/:ability', {
      operationId: 'adminUpdateAbility',
      summary: 'Change the display name of an ability; its key stays',
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
