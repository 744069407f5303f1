import type { Context } from '#platform/context.ts'
import type { TaskList } from '#platform/jobs'
import type { Module } from '../../module.ts'
import { adminWebhookDeliveryRoutes } from './admin/deliveries/routes.ts'
import { adminWebhookRoutes } from './admin/routes.ts'
import { announce, deliverEvents, resumeDeliveries, sendWebhook, tidyEvents } from './service.ts'

type Places = { places: [number, number][] }

export const webhookTasks = (ctx: Context): TaskList => ({
  announce_notifications: (payload) => announce(ctx, (payload as Places).places),
  deliver_events: (payload) => deliverEvents(ctx, (payload as { ids: number[] }).ids),
  send_webhook: (payload) => sendWebhook(ctx, (payload as { id: number }).id),
  resume_webhooks: () => resumeDeliveries(ctx),
  tidy_webhook_events: () => tidyEvents(ctx),
})

export const module: Module = {
  tags: { 'Admin: webhooks': { place: 39, about: 'Webhook endpoints and their deliveries.' } },
  routes: () => [adminWebhookRoutes, adminWebhookDeliveryRoutes],
  tasks: () => [webhookTasks],
  schedules: [
    { task: 'tidy_webhook_events', pattern: '51 3 * * *' },
    { task: 'resume_webhooks', pattern: '* * * * *' },
  ],
  pools: [{ concurrency: 8, names: ['send_webhook'] }],
}
