import { ABILITIES, isMemberAbility, MEMBER_ABILITIES, ROLES } from '#modules/abilities/index.ts'
import { defineTable, type ImportStep } from '../database/table.ts'
import { all, custom, forgotten, replaced, targeted } from '../database/vanishing.ts'
import {
  addTargets,
  allTargets,
  dropTargetsOf,
  findTargets,
  hasTarget,
  relation,
  saveTargets,
  takeTargets,
} from '../database/write.ts'
import { FORMER } from './accounts/people.ts'

const OWN_ROLES = new Set<string>(ROLES.map(({ name }) => name))

const abilities = defineTable({
  table: 'abilities',
  by: null,
  into: null,
  key: ['name'],
  gone: forgotten('abilities'),
  reread: 'always',
  columns: { id: 'int', name: 'text' },
  async write(tx, rows, batch) {
    const known = rows.filter((row) => {
      if (row.name !== null && row.name in ABILITIES) return true
      batch.leaveOut(row, 'unsupported ability')
      return false
    })
    for (const row of known) batch.merge(row, 'Kith has this ability already')
    await saveTargets(tx, 'abilities', new Map(known.map(({ id, name }) => [id ?? 0, name ?? ''])))
  },
})

const roles = defineTable({
  table: 'roles',
  by: null,
  into: [{ table: 'roles', key: { name: 'name' }, columns: { id: null } }],
  key: ['id', 'name'],
  gone: all(
    custom('remove', {
      // Other roles than Kith's own exist only because the source has them.
      after: async (tx, _range, rows) => {
        const gone = await tx<{ name: string }[]>`
          delete from roles where not name = any(${[...OWN_ROLES, ...rows.map(({ name }) => String(name))]})
          returning name`
        const names = gone.map(({ name }) => name)
        for (const name of names) await takeTargets(tx, `role ${name}`)
        return names
      },
    }),
    forgotten('roles'),
  ),
  reread: 'always',
  states: targeted('roles'),
  columns: { id: 'int', name: 'text', display_name: 'text', description: 'text', created_at: 'time' },
  async write(tx, rows, batch) {
    for (const row of rows) if (OWN_ROLES.has(row.name ?? '')) batch.merge(row, 'Kith has this role already')
    const given = rows.map(({ name, display_name, description, created_at }) => ({
      name: name ?? '',
      display_name: display_name ?? name ?? '',
      description: description ?? '',
      created_at,
    }))
    const columns = { name: 'text', display_name: 'text', description: 'text', created_at: 'timestamptz' }
    await tx`
      insert into roles (name, display_name, description, created_at)
      select name, display_name, description, coalesce(created_at, now()) from ${relation(tx, columns, given)}
      on conflict (name) do update set display_name = excluded.display_name, description = excluded.description
        where not roles.name = any(${[...OWN_ROLES]})`
    const made = await tx<{ id: number; name: string }[]>`select id, name from roles`
    const ids = new Map(made.map(({ id, name }) => [name, id]))
    await saveTargets(tx, 'roles', new Map(rows.map((row) => [row.id ?? 0, ids.get(row.name ?? '') ?? 0])))
  },
})

const roleAbilities = defineTable({
  table: 'ability_role',
  by: null,
  into: null,
  key: ['role_id', 'ability_id'],
  gone: custom('remove', {
    before: (tx) => tx`
      delete from role_abilities x using roles r where r.id = x.role_id and not r.name = any(${[...OWN_ROLES]})`,
  }),
  reread: 'always',
  columns: { ability_id: 'int', role_id: 'int' },
  async write(tx, rows, batch) {
    const targets = await findTargets(
      tx,
      'roles',
      rows.map((row) => row.role_id),
    )
    const names = await findTargets(
      tx,
      'abilities',
      rows.map((row) => row.ability_id),
    )
    const fixed = new Set(
      (await tx<{ id: number }[]>`select id from roles where name = any(${[...OWN_ROLES]})`).map(
        ({ id }) => id,
      ),
    )
    const [founders] = await tx<{ id: number }[]>`select id from roles where name = 'founder'`
    const founder = founders?.id
    const given = rows.flatMap((row) => {
      const role = Number(targets.get(row.role_id ?? 0) ?? 0)
      const ability = names.get(row.ability_id ?? 0)
      if (role === 0) batch.leaveOut(row, 'the role no longer exists')
      else if (ability === undefined) batch.leaveOut(row, 'unsupported ability')
      else if (role === founder || (fixed.has(role) && !isMemberAbility(ability)))
        batch.merge(row, 'Kith defines the abilities of this role')
      else return [{ role_id: role, ability }]
      return []
    })
    await tx`
      insert into role_abilities (role_id, ability)
      select role_id, ability from ${relation(tx, { role_id: 'bigint', ability: 'text' }, given)}
      on conflict do nothing`
  },
})

/**
 * Removes abilities of members, such as `feed-post`, which the source assigns to roles itself. A source from before such
 * an ability has no row of it and never required it.
 */
const memberRights: ImportStep = {
  name: 'rights of members',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`
        insert into role_abilities (role_id, ability)
        select r.id, a.name from roles r, unnest(${[...MEMBER_ABILITIES]}::text[]) as a (name) where r.name = 'owner'
        on conflict do nothing`
      for (const ability of MEMBER_ABILITIES)
        if (await hasTarget(tx, 'abilities', ability))
          await tx`
            delete from role_abilities x using roles r
            where r.id = x.role_id and r.name = any(${[...OWN_ROLES]}) and r.name <> 'founder' and ability = ${ability}`
    }),
}

export const abilityTables = [abilities, roles, memberRights, roleAbilities]

/** Runs after the import of users, because role assignments reference them. */
export const roleUsers = defineTable({
  table: 'role_user',
  by: 'user_id',
  width: 5000,
  into: null,
  key: ['user_id', 'role_id'],
  gone: all(
    replaced({
      table: 'user_roles',
      by: 'user_id',
      // The import of users removed the roles that these had in the source. Others they got here.
      only: (sql) => sql`
        not exists (select from (${allTargets(sql)}) f where f.source_table = ${FORMER} and f.source_id = t.user_id)`,
    }),
    custom('remove', {
      before: (tx, range) => dropTargetsOf(tx, tx`select 'role ' || name from roles`, range),
    }),
  ),
  reads: { users: ['user_id'], [FORMER]: ['user_id'], roles: ['role_id'] },
  columns: { user_id: 'int', role_id: 'int' },
  async write(tx, rows, batch) {
    const targets = await findTargets(
      tx,
      'roles',
      rows.map((row) => row.role_id),
    )
    const people = await batch.findBy('users', rows, 'user_id')
    const former = await findTargets(
      tx,
      FORMER,
      rows.map((row) => row.user_id),
    )
    const given = rows.flatMap((row) => {
      const role = Number(targets.get(row.role_id ?? 0) ?? 0)
      const id = row.user_id ?? 0
      if (!people.has(id) || former.has(id)) batch.leaveOut(row, 'the user no longer exists')
      else if (role === 0) batch.leaveOut(row, 'the role no longer exists')
      else return [{ user_id: row.user_id, role_id: role }]
      return []
    })
    await tx`
      insert into user_roles (user_id, role_id)
      select user_id, role_id from ${relation(tx, { user_id: 'bigint', role_id: 'bigint' }, given)}
      on conflict do nothing`
    // Tells roles of the source from those that users got here. All users have the role `owner`.
    await addTargets(
      tx,
      tx`select 'role ' || r.name, g.user_id, '' from (
          select user_id, role_id from ${relation(tx, { user_id: 'bigint', role_id: 'bigint' }, given)}
        ) g join roles r on r.id = g.role_id where r.name <> 'owner'`,
    )
  },
})
