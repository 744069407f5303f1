import { findServiceFaults, type Probe } from '#contracts/health-check.ts'
import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import { longTransaction } from '#platform/database'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { notificationCounters } from './counters.ts'
import { countRoutes } from './counts/routes.ts'
import { adminNoticeRoutes } from './notices/admin/routes.ts'
import { sendToAll } from './notices/service.ts'
import { adminPushDeliveryRoutes, deleteOldOutcomes } from './push/deliveries.ts'
import { pushPreferenceRoutes } from './push/preferences.ts'
import { pushSender } from './push/push-services.ts'
import { deviceRoutes } from './push/routes.ts'
import { type Pushed, pushNotifications } from './push/service.ts'
import { eraseNotificationsOf, findNotifications } from './queries.ts'
import { countExpiredNotifications, deleteExpiredNotifications, tidyNotifications } from './retention.ts'
import { notificationRoutes } from './routes.ts'
import {
  findMissing,
  notificationView,
  notify,
  type Remainder,
  withdrawRemaining,
  withdrawRemainingContent,
} from './service.ts'
import { NOTIFICATION_SETTINGS } from './settings.ts'
import { strayNotifications } from './strays.ts'
import { streamRoutes } from './stream/routes.ts'
import { adminWebhookDeliveryRoutes } from './webhooks/admin/deliveries/routes.ts'
import { adminWebhookRoutes } from './webhooks/admin/routes.ts'
import { announce, deliverEvents, resumeDeliveries, sendWebhook, tidyEvents } from './webhooks/service.ts'
import type { Taken } from './withdrawal.ts'

type Places = { places: [number, number][] }

export const notificationTasks = (ctx: Context): TaskList => ({
  take_back_notifications: (payload, { abortSignal }) =>
    withdrawRemaining(ctx, payload as Taken, abortSignal),
  withdraw_content: (payload, { abortSignal }) =>
    withdrawRemainingContent(ctx, payload as Remainder, abortSignal),
  send_notice: (payload, { abortSignal }) => sendToAll(ctx, (payload as { id: number }).id, abortSignal),
  tidy_notifications: async () => {
    await tidyNotifications(ctx)
    await deleteOldOutcomes(ctx.sql)
  },
  push_notifications: (payload) => pushNotifications(ctx, payload as Pushed),
  announce_notifications: (payload) => announce(ctx, (payload as Places).places),
  deliver_events: (payload) => deliverEvents(ctx, (payload as { ids: number[] }).ids),
  send_webhook: (payload) => sendWebhook(ctx, (payload as { id: number }).id),
  resume_webhooks: () => resumeDeliveries(ctx),
  tidy_webhook_events: () => tidyEvents(ctx),
})

const notificationSchedules: Schedule[] = [
  { task: 'tidy_notifications', pattern: '41 3 * * *', deletes: true },
  { task: 'tidy_webhook_events', pattern: '51 3 * * *' },
  { task: 'resume_webhooks', pattern: '* * * * *' },
]

const notificationPersonal = [
  personalTable({
    file: 'notifications',
    about: { en: 'Your notifications', zh: '您收到的通知' },
    table: 'notifications',
    key: ['seq'],
    columns: ['seq'],
    async show(ctx, places, { userId, language }) {
      const found = await findNotifications(
        ctx,
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

export const module: Module = {
  settings: NOTIFICATION_SETTINGS,
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
  counters: [strayNotifications, ...notificationCounters],
  erase: eraseNotificationsOf,
  tasks: () => [notificationTasks],
  schedules: notificationSchedules,
  probes: [pushProbe],
  pools: [
    { concurrency: 4, names: ['push_notifications'] },
    { concurrency: 8, names: ['send_webhook'] },
  ],
  offers: { notify },
  leftovers: [
    {
      text: 'notifications exceed the age or number in the settings',
      find: (ctx) =>
        longTransaction(ctx.sql, async (tx) => ({ count: await countExpiredNotifications(ctx, tx) })),
      clear: deleteExpiredNotifications,
    },
  ],
}
