import { personalTable } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import { longTransaction } from '#platform/database'
import type { Schedule, TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { notificationCounters } from './counters.ts'
import { countRoutes } from './counts/routes.ts'
import { adminNoticeRoutes } from './notices/admin/routes.ts'
import { sendToAll } from './notices/service.ts'
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
import type { Taken } from './withdrawal.ts'

export const notificationTasks = (ctx: Context): TaskList => ({
  take_back_notifications: (payload, { abortSignal }) =>
    withdrawRemaining(ctx, payload as Taken, abortSignal),
  withdraw_content: (payload, { abortSignal }) =>
    withdrawRemainingContent(ctx, payload as Remainder, abortSignal),
  send_notice: (payload, { abortSignal }) => sendToAll(ctx, (payload as { id: number }).id, abortSignal),
  tidy_notifications: () => tidyNotifications(ctx),
})

const notificationSchedules: Schedule[] = [
  { task: 'tidy_notifications', pattern: '41 3 * * *', deletes: true },
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
]

export const module: Module = {
  tags: {
    Notifications: { place: 9, about: 'Notification lists, unread counts, live streams and devices.' },
  },
  settings: NOTIFICATION_SETTINGS,
  routes: (site) => [
    notificationRoutes,
    countRoutes(Object.assign({}, ...site.kinds.map(({ pendingPins }) => pendingPins))),
    streamRoutes(site.service('createChatSource')),
    adminNoticeRoutes,
  ],
  personalData: { place: 17, tables: notificationPersonal },
  counters: [strayNotifications, ...notificationCounters],
  erase: eraseNotificationsOf,
  tasks: () => [notificationTasks],
  schedules: notificationSchedules,
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
