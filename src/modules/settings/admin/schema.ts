import type { Context } from '#platform/context.ts'
import type { DeclaredError } from '#platform/errors.ts'
import type { Settings } from '../registry.ts'

/**
 * Checks that reject settings with unknown references, or beyond the actor's abilities. Injected, because
 * they need higher modules.
 */
export type SettingChecks = {
  check(ctx: Context, actorId: number, changes: Partial<Settings>, current: Settings): Promise<void>
  errors: readonly DeclaredError[]
}
