import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs'
import { sendToAll } from './notices/service.ts'
import { deleteOldOutcomes } from './push/deliveries.ts'
import { type Pushed, pushNotifications } from './push/service.ts'
import type { Taken } from './queries.ts'
import { tidyNotifications } from './retention/service.ts'
import { takeBackRest } from './service.ts'
import { announce, deliverEvents, resumeDeliveries, sendWebhook, tidyEvents } from './webhooks/service.ts'

/** User ids and sequence numbers of notifications. */
type Places = { places: [number, number][] }

export const notificationTasks = (ctx: Context): TaskList => ({
  take_back_notifications: (payload, { abortSignal }) => takeBackRest(ctx, payload as Taken, abortSignal),
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

export const notificationSchedules: Schedule[] = [
  { task: 'tidy_notifications', pattern: '41 3 * * *' },
  { task: 'tidy_webhook_events', pattern: '51 3 * * *' },
  { task: 'resume_webhooks', pattern: '* * * * *' },
]
