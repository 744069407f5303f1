import {
  forgetSettings,
  readSettings,
  type Settings,
  SettingsPatch,
  updateSettings,
} from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Empty, Open } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { checkSettings } from './service.ts'

export function settingsRoutes(server: Server, ctx: Context) {
  const access = { ability: 'admin:site:base' }

  server.get(
    '/admin/settings',
    {
      config: { access },
      schema: {
        tags: ['Administration'],
        summary: 'All settings with the values in force',
        response: { 200: Open },
      },
    },
    () => readSettings(ctx),
  )

  server.patch(
    '/admin/settings',
    {
      config: { access },
      schema: {
        tags: ['Administration'],
        summary: 'Change settings; those not named keep their values',
        body: SettingsPatch,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const changes = request.body as Partial<Settings>
      const names = Object.keys(changes) as (keyof Settings)[]
      await checkSettings(ctx.sql, viewerOf(request).id, changes)
      if (names.length > 0) {
        const current = await readSettings(ctx)
        await transaction(ctx.sql, async (tx) => {
          await updateSettings(ctx, tx, changes)
          await recordAudit(tx, request, {
            action: 'settings.update',
            subjectType: 'settings',
            subjectId: names.length === 1 ? (names[0] as string) : '*',
            before: Object.fromEntries(names.map((name) => [name, current[name]])),
            after: changes,
          })
        })
        forgetSettings(ctx)
      }
      return reply.code(204).send()
    },
  )
}
