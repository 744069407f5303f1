import { ABILITIES, ROLES } from '#modules/abilities/index.ts'
import { defineTable } from '../database/table.ts'
import { findTargets, relation, saveTargets } from '../database/write.ts'

const OWN_ROLES = new Set<string>(ROLES.map(({ name }) => name))

const abilities = defineTable({
  table: 'abilities',
  by: null,
  into: null,
  key: ['name'],
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
      on conflict (name) do nothing`
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
    const given = rows.flatMap((row) => {
      const role = Number(targets.get(row.role_id ?? 0) ?? 0)
      const ability = names.get(row.ability_id ?? 0)
      if (role === 0) batch.leaveOut(row, 'the role no longer exists')
      else if (ability === undefined) batch.leaveOut(row, 'unsupported ability')
      else if (fixed.has(role)) batch.merge(row, 'Kith defines the abilities of this role')
      else return [{ role_id: role, ability }]
      return []
    })
    await tx`
      insert into role_abilities (role_id, ability)
      select role_id, ability from ${relation(tx, { role_id: 'bigint', ability: 'text' }, given)}
      on conflict do nothing`
  },
})

export const abilityTables = [abilities, roles, roleAbilities]

/** Runs after the import of users, because role assignments reference them. */
export const roleUsers = defineTable({
  table: 'role_user',
  by: 'user_id',
  width: 5000,
  into: null,
  key: ['user_id', 'role_id'],
  columns: { user_id: 'int', role_id: 'int' },
  async write(tx, rows, batch) {
    const targets = await findTargets(
      tx,
      'roles',
      rows.map((row) => row.role_id),
    )
    const people = await batch.find(
      'users',
      rows.map((row) => row.user_id),
    )
    const given = rows.flatMap((row) => {
      const role = Number(targets.get(row.role_id ?? 0) ?? 0)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (role === 0) batch.leaveOut(row, 'the role no longer exists')
      else return [{ user_id: row.user_id, role_id: role }]
      return []
    })
    await tx`
      insert into user_roles (user_id, role_id)
      select user_id, role_id from ${relation(tx, { user_id: 'bigint', role_id: 'bigint' }, given)}
      on conflict do nothing`
  },
  async sweep(tx, { from, to }, rows) {
    const targets = await findTargets(
      tx,
      'roles',
      rows.map((row) => row.role_id),
    )
    const left = rows.map((row) => ({
      user_id: row.user_id,
      role_id: Number(targets.get(row.role_id ?? 0) ?? 0),
    }))
    await tx`
      delete from user_roles x where user_id >= ${from} and user_id < ${to}
        and role_id <> (select id from roles where name = 'owner')
        and not exists (
          select from ${relation(tx, { user_id: 'bigint', role_id: 'bigint' }, left)}
          where r.user_id = x.user_id and r.role_id = x.role_id)`
  },
})
