import { isUserName } from '#lib/identifiers.ts'
import { grams, nameKey } from '#lib/text.ts'
import { exactTime } from '#lib/time.ts'
import type { Db, Tx } from '#platform/database'
import { Flag, type Static, Text, Type } from '#platform/http'
import { type ImportFault, ImportTime, type Line, skipInvalid } from '#transfer/import-lines.ts'

export type ImportedPerson = { name: string; createdAt: string | null; disabled: boolean }

async function insertPeople(sql: Db, people: ImportedPerson[]): Promise<void> {
  const unique = [...new Map(people.map((person) => [nameKey(person.name), person]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  if (unique.length === 0) return
  await sql`
    with made as (
      insert into users (name, name_key, name_grams, created_at, deleted_at)
      select name, key, array(select jsonb_array_elements_text(grams::jsonb)), coalesce(created_at, now()),
        case when disabled::bool then now() end
      from unnest(${unique.map(([, { name }]) => name)}::text[], ${unique.map(([key]) => key)}::text[],
        ${unique.map(([, { name }]) => JSON.stringify(grams(name)))}::text[],
        ${unique.map(([, { createdAt }]) => createdAt)}::timestamptz[],
        ${unique.map(([, { disabled }]) => String(disabled))}::text[]) with ordinality
        as p (name, key, grams, created_at, disabled, n)
      order by n on conflict (name_key) do nothing returning id
    ),
    counted as (insert into user_counts (user_id) select id from made),
    roles as (
      insert into user_roles (user_id, role_id) select m.id, r.id from made m join roles r on r.name = 'owner'
    )
    select graphile_worker.add_job('user_created', json_build_object('id', id), max_attempts => 12) from made`
}

export async function userIdsByName(sql: Db, names: string[]): Promise<Map<string, number>> {
  const keys = new Map([...new Set(names)].map((name) => [name, nameKey(name)]))
  if (keys.size === 0) return new Map()
  const rows = await sql<{ id: number; name_key: string }[]>`
    select id, name_key from users where name_key = any(${[...keys.values()]})`
  const ids = new Map(rows.map((row) => [row.name_key, row.id]))
  return new Map([...keys].flatMap(([name, key]) => (ids.has(key) ? [[name, ids.get(key) as number]] : [])))
}

const listExported = (sql: Db, ids: number[]) => sql<
  { id: number; name: string; created_at: string; disabled: boolean }[]
>`
  select id, name, created_at, deleted_at is not null as disabled from users where id = any(${ids})`

/** Imported users cannot sign in, because this form has no password, phone or e-mail. */
export const UserForm = Type.Object({
  kind: Type.Optional(Text(20)),
  name: Text(100),
  disabled: Type.Optional(Flag()),
  created_at: ImportTime,
})

export async function importUsers(
  tx: Tx,
  lines: Line<Static<typeof UserForm>>[],
  faults: ImportFault[],
): Promise<void> {
  const people = skipInvalid(lines, faults, ({ name }) =>
    isUserName(name) ? undefined : `${name} cannot be the name of a user`,
  )
  await insertPeople(
    tx,
    people.map(({ value: { name, disabled = false, created_at: createdAt = null } }) => ({
      name,
      disabled,
      createdAt,
    })),
  )
}

/** Writes each user of an export once, before the first line that refers to the user. */
export function createUserLines(sql: Db) {
  const names = new Map<number, string>()
  return {
    name: (id: number): string => names.get(id) ?? '',
    async introduce(ids: number[]): Promise<object[]> {
      const unknown = [...new Set(ids)].filter((id) => id > 0 && !names.has(id))
      const people = unknown.length > 0 ? await listExported(sql, unknown) : []
      for (const { id, name } of people) names.set(id, name)
      return people.map(({ name, disabled, created_at: createdAt }) => ({
        kind: 'person',
        name,
        ...(disabled ? { disabled } : {}),
        created_at: exactTime(createdAt),
      }))
    },
  }
}
