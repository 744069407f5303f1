import { findServiceFaults, type Probe } from '#contracts/health-check.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminPushDeliveryRoutes, deleteOldOutcomes } from './deliveries.ts'
import { pushPreferenceRoutes } from './preferences.ts'
import { pushSender } from './push-services.ts'
import { deviceRoutes } from './routes.ts'
import { type Pushed, pushNotifications } from './service.ts'
import { PUSH_SETTINGS } from './settings.ts'

const pushTasks = (ctx: Context): TaskList => ({
  push_notifications: (payload) => pushNotifications(ctx, payload as Pushed),
  tidy_push_deliveries: () => deleteOldOutcomes(ctx.sql),
})

const pushPersonal = [
  personalTable({
    file: 'devices',
    about: { en: 'Devices that receive notifications', zh: '接收通知的设备' },
    table: 'push_devices',
    key: ['token'],
    columns: ['platform', 'language', 'updated_at'],
  }),
  personalTable({
    file: 'push-preferences',
    about: { en: 'Notification settings of your devices', zh: '您的推送偏好' },
    table: 'push_preferences',
    key: ['user_id'],
    columns: ['off_types', 'shows_text', 'quiet_from', 'quiet_until', 'quiet_zone'],
  }),
]

const pushProbe: Probe = {
  part: 'push',
  settings: 'the settings of the push services (docs/push.md)',
  worksAlone: true,
  isUsed: (ctx) => Object.keys(pushSender(ctx).services).length > 0,
  services: (ctx) => Object.keys(pushSender(ctx).services),
  async check(ctx) {
    const faults = await findServiceFaults(pushSender(ctx).services)
    if (faults.length > 0) throw new Error(faults.join('; '))
  },
}

async function erasePush(tx: Tx, userId: number): Promise<void> {
  await tx`delete from push_devices where user_id = ${userId}`
  await tx`delete from push_preferences where user_id = ${userId}`
}

export const module: Module = {
  settings: PUSH_SETTINGS,
  routes: () => [deviceRoutes, pushPreferenceRoutes, adminPushDeliveryRoutes],
  personalData: { place: 17, tables: pushPersonal },
  erase: erasePush,
  tasks: () => [pushTasks],
  schedules: [{ task: 'tidy_push_deliveries', pattern: '43 3 * * *' }],
  probes: [pushProbe],
  pools: [{ concurrency: 4, names: ['push_notifications'] }],
}
