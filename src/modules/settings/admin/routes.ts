import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { Empty, OpenObject, routesOn, type Server } from '#platform/http'
import { type Settings, SettingsPatch } from '../registry.ts'
import { dropCachedSettings, readSettings, updateSettings } from '../service.ts'
import type { SettingChecks } from './schema.ts'

/** Admin routes of the settings (administration-8). */
export const adminSettingRoutes = (checks: SettingChecks) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin:site:base' }

  route('GET /admin/settings', {
    operationId: 'adminGetSettings',
    summary: 'Read all settings with the values in force',
    access,
    reply: { 200: OpenObject },
    returns: 'Every setting by its name.',
    handler: () => readSettings(ctx),
  })

  route('PATCH /admin/settings', {
    operationId: 'adminUpdateSettings',
    summary: 'Change settings; those not named keep their values',
    access,
    body: SettingsPatch,
    reply: { 204: Empty },
    errors: checks.errors,
    handler: async (call) => {
      const changes = call.body as Partial<Settings>
      const names = Object.keys(changes) as (keyof Settings)[]
      const current = await readSettings(ctx)
      await checks.check(ctx, call.viewer.id, changes, current)
      if (names.length === 0) return
      await transaction(ctx.sql, async (tx) => {
        await updateSettings(ctx, tx, changes)
        await recordAudit(tx, call, {
          action: 'settings.update',
          subjectType: 'settings',
          subjectId: names.length === 1 ? (names[0] as string) : '*',
          before: Object.fromEntries(names.map((name) => [name, current[name]])),
          after: changes,
        })
      })
      await dropCachedSettings(ctx)
    },
  })
}
