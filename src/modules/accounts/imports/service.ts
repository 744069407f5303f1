import { isUserName } from '#lib/identifiers.ts'
import { exactTime } from '#lib/time.ts'
import type { Db, Tx } from '#platform/database.ts'
import { type Fault, ImportTime, type Line, sift } from '#platform/import-lines.ts'
import { Flag, type Static, Text, Type } from '#platform/schema.ts'
import { insertPeople, listExported } from './queries.ts'

/** A person who writes something in the lines that follow. Nobody can sign in as them before they get a password. */
export const PersonForm = Type.Object({
  kind: Type.Optional(Text(20)),
  name: Text(100),
  disabled: Type.Optional(Flag()),
  created_at: ImportTime,
})

/** Makes the people of a file who are not there yet. */
export async function importPeople(
  tx: Tx,
  lines: Line<Static<typeof PersonForm>>[],
  faults: Fault[],
): Promise<void> {
  const people = sift(lines, faults, ({ name }) =>
    isUserName(name) ? undefined : `${name} cannot be the name of a person`,
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

/** The people of an export: each stands in a line of its own before the first line that names them. */
export function createRoster(sql: Db) {
  const names = new Map<number, string>()
  return {
    name: (id: number): string => names.get(id) ?? '',
    /** Lines for those who were not named yet. */
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
