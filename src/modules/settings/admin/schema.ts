import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { Settings } from '../registry.ts'

/** Refuses settings that name what there is not, or what the actor may not set or hand out; higher modules know. */
export type SettingChecks = {
  check(ctx: Context, actorId: number, changes: Partial<Settings>, current: Settings): Promise<void>
  errors: readonly DeclaredError[]
}
