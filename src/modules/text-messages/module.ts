import { findServiceFaults, type Probe } from '#contracts/health-check.ts'
import type { Module } from '../../module.ts'
import { adminTextMessageRoutes, receiptRoutes } from './routes.ts'
import { countToday, deleteOldTexts } from './service.ts'
import { smsSender } from './services/sender.ts'
import { readTextMessageSettings, TEXT_MESSAGE_SETTINGS } from './settings.ts'

const textProbe: Probe = {
  part: 'sms',
  settings: 'the settings of the text services (docs/sms.md)',
  isUsed: (ctx) => Object.keys(smsSender(ctx).services).length > 0,
  services: (ctx) => Object.keys(smsSender(ctx).services),
  async check(ctx) {
    const faults = await findServiceFaults(smsSender(ctx).services)
    const limit = (await readTextMessageSettings(ctx))['sms:daily']
    if (limit > 0 && (await countToday(ctx.sql)) >= limit) faults.push('the daily limit is reached')
    if (faults.length > 0) throw new Error(faults.join('; '))
  },
}

export const module: Module = {
  routes: () => [adminTextMessageRoutes],
  outerRoutes: () => [receiptRoutes],
  tasks: () => [(ctx) => ({ tidy_text_messages: () => deleteOldTexts(ctx.sql) })],
  schedules: [{ task: 'tidy_text_messages', pattern: '23 4 * * *' }],
  probes: [textProbe],
  settings: TEXT_MESSAGE_SETTINGS,
}
