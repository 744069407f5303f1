import type { Probe } from '#contracts/health-check.ts'
import { messageOf } from '#lib/faults.ts'
import { readSettings } from '#modules/settings/index.ts'
import type { Module } from '../../module.ts'
import { adminTextMessageRoutes, receiptRoutes } from './routes.ts'
import { countToday, deleteOldTexts, textSettings } from './service.ts'

const textProbe: Probe = {
  part: 'sms',
  isUsed: ({ sms }) => Object.keys(sms.services).length > 0,
  services: ({ sms }) => Object.keys(sms.services),
  async check(ctx) {
    const faults: string[] = []
    await Promise.all(
      Object.entries(ctx.sms.services).map(([name, { check }]) =>
        check().catch((error: unknown) => faults.push(`${name}: ${messageOf(error)}`)),
      ),
    )
    const limit = (await readSettings(ctx))['sms:daily']
    if (limit > 0 && (await countToday(ctx.sql)) >= limit) faults.push('the daily limit is reached')
    if (faults.length > 0) throw new Error(faults.sort().join('; '))
  },
}

export const module: Module = {
  routes: () => [adminTextMessageRoutes],
  outerRoutes: () => [receiptRoutes],
  tasks: () => [(ctx) => ({ tidy_text_messages: () => deleteOldTexts(ctx.sql) })],
  schedules: [{ task: 'tidy_text_messages', pattern: '23 4 * * *' }],
  probes: [textProbe],
  settingChecks: textSettings,
}
