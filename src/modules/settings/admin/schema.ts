import type { Db } from '#platform/database.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { Settings } from '../registry.ts'

/** Refuses settings that name what there is not, or what the actor may not hand out; higher modules know. */
export type SettingChecks = {
  check(sql: Db, actorId: number, changes: Partial<Settings>): Promise<void>
  errors: readonly DeclaredError[]
}
