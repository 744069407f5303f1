import { personalTable } from '#contracts/personal-data.ts'
import { longTransaction } from '#platform/database'
import type { Module } from '../../module.ts'
import { notificationCounters } from './counters.ts'
import { countRoutes } from './counts/routes.ts'
import { notificationSchedules, notificationTasks } from './jobs.ts'
import { adminNoticeRoutes } from './notices/admin/routes.ts'
import { adminPushDeliveryRoutes } from './push/deliveries.ts'
import { pushPreferenceRoutes } from './push/preferences.ts'
import { deviceRoutes } from './push/routes.ts'
import { findNotifications, forgetRecipient } from './queries.ts'
import { clearSurplus, countSurplusOf } from './retention/service.ts'
import { notificationRoutes } from './routes.ts'
import { notificationView, notify } from './service.ts'
import { streamRoutes } from './stream/routes.ts'
import { findMissing } from './system/service.ts'
import { adminWebhookDeliveryRoutes } from './webhooks/admin/deliveries/routes.ts'
import { adminWebhookRoutes } from './webhooks/admin/routes.ts'

/** Notifications in the personal data export, as the recipient sees them. */
export const notificationPersonal = [
  personalTable({
    file: 'notifications',
    about: { en: 'What you were told', zh: '您收到的通知' },
    table: 'notifications',
    key: ['seq'],
    columns: ['seq'],
    async show(ctx, places, { userId, language }) {
      const found = await findNotifications(
        ctx.sql,
        places.map(({ seq }) => [userId, Number(seq)]),
      )
      const told = await findMissing(ctx, found, () => userId)
      const shown = new Map(
        found.map((row) => [row.seq, { type: row.type, ...notificationView(row, language, told) }]),
      )
      return places.flatMap(({ seq }) => shown.get(Number(seq)) ?? [])
    },
  }),
  personalTable({
    file: 'devices',
    about: { en: 'Devices that notifications are sent to', zh: '接收通知的设备' },
    table: 'push_devices',
    key: ['token'],
    columns: ['platform', 'language', 'updated_at'],
  }),
  personalTable({
    file: 'push-preferences',
    about: { en: 'What your devices receive', zh: '您的推送偏好' },
    table: 'push_preferences',
    key: ['user_id'],
    columns: ['off_types', 'shows_text', 'quiet_from', 'quiet_until', 'quiet_zone'],
  }),
]

export const module: Module = {
  routes: (site) => [
    notificationRoutes,
    countRoutes(Object.assign({}, ...site.kinds.map(({ pendingPins }) => pendingPins))),
    streamRoutes(site.service('createChatSource')),
    deviceRoutes,
    pushPreferenceRoutes,
    adminPushDeliveryRoutes,
    adminNoticeRoutes,
    adminWebhookRoutes,
    adminWebhookDeliveryRoutes,
  ],
  personalData: { place: 17, tables: notificationPersonal },
  counters: notificationCounters,
  erase: forgetRecipient,
  tasks: () => [notificationTasks],
  schedules: notificationSchedules,
  pools: [
    { concurrency: 4, names: ['push_notifications'] },
    { concurrency: 8, names: ['send_webhook'] },
  ],
  offers: { notify },
  leftovers: [
    {
      text: 'notifications exceed the age or number in the settings',
      find: (ctx) => longTransaction(ctx.sql, async (tx) => ({ count: await countSurplusOf(ctx, tx) })),
      clear: clearSurplus,
    },
  ],
}
