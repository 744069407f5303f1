import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { invalidField, notFound } from '#platform/errors.ts'
import { Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import { replay, sendPing } from '../../service.ts'
import {
  DeliveryItem,
  DeliveryParams,
  DeliveryQuery,
  DeliveryView,
  deliveryView,
  findDelivery,
  findWebhook,
  listDeliveries,
  ReplayBody,
  Replayed,
  WebhookParams,
  webhookDisabled,
} from '../queries.ts'

function timeOf(text: string): string {
  const time = new Date(`${text.replace(' ', 'T').replace(/Z$/, '')}Z`)
  if (Number.isNaN(time.getTime()))
    throw invalidField('since', { en: 'The since field must be a time.', zh: '开始时间不是有效的时间。' })
  return time.toISOString()
}

export function adminWebhookDeliveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: webhooks' })
  const access = { ability: 'admin: notifications' }

  const get = async ({ params }: { params: { webhook: number } }) => {
    const webhook = await findWebhook(sql, params.webhook)
    if (!webhook) throw notFound()
    return webhook
  }
  const getDelivery = async ({ params }: { params: { webhook: number; delivery: number } }) => {
    const row = await findDelivery(sql, params.webhook, params.delivery)
    if (!row) throw notFound()
    return row
  }

  route('GET /admin/webhooks/:webhook/deliveries', {
    operationId: 'adminListWebhookDeliveries',
    summary: 'List the deliveries of an endpoint',
    access,
    params: WebhookParams,
    query: DeliveryQuery,
    reply: { 200: Listing(DeliveryItem) },
    load: get,
    handler: async ({ loaded, query }) => {
      const { data, total } = await listDeliveries(sql, loaded.id, query)
      return { data: data.map(deliveryView), total }
    },
  })

  route('GET /admin/webhooks/:webhook/deliveries/:delivery', {
    operationId: 'adminGetWebhookDelivery',
    summary: 'Read a delivery with its body and every attempt',
    access,
    params: DeliveryParams,
    reply: { 200: DeliveryView },
    load: getDelivery,
    handler: ({ loaded }) => deliveryView(loaded),
  })

  route('POST /admin/webhooks/:webhook/deliveries/:delivery/replay', {
    operationId: 'adminReplayWebhookDelivery',
    summary: 'Send a delivery again, under the same id',
    access,
    params: DeliveryParams,
    reply: { 204: Empty },
    errors: [webhookDisabled],
    load: getDelivery,
    handler: async (call) => {
      const { webhook, delivery } = call.params
      if (!(await get(call)).enabled) throw webhookDisabled()
      await transaction(sql, async (tx) => {
        await replay(tx, webhook, { id: delivery })
        await recordAudit(tx, call, {
          action: 'webhooks.replay',
          subjectType: 'webhooks',
          subjectId: webhook,
          after: { delivery },
        })
      })
    },
  })

  route('POST /admin/webhooks/:webhook/replay', {
    operationId: 'adminReplayWebhook',
    summary: 'Resend deliveries that failed since a time, at most 1,000',
    access,
    params: WebhookParams,
    body: ReplayBody,
    reply: { 200: Replayed },
    errors: [webhookDisabled],
    load: get,
    handler: async (call) => {
      const { id, enabled } = call.loaded
      if (!enabled) throw webhookDisabled()
      const failedSince = timeOf(call.body.since)
      const count = await transaction(sql, async (tx) => {
        const replayed = await replay(tx, id, { failedSince })
        await recordAudit(tx, call, {
          action: 'webhooks.replay',
          subjectType: 'webhooks',
          subjectId: id,
          after: call.body,
        })
        return replayed
      })
      return { count }
    },
  })

  route('POST /admin/webhooks/:webhook/ping', {
    operationId: 'adminPingWebhook',
    summary: 'Send an event of the type webhook.ping to test an endpoint; returns its delivery',
    access,
    params: WebhookParams,
    reply: { 201: Created },
    errors: [webhookDisabled],
    load: get,
    handler: async ({ loaded }) => {
      const delivery = await transaction(sql, (tx) => sendPing(tx, loaded.id))
      if (delivery === undefined) throw webhookDisabled()
      return { id: delivery }
    },
  })
}
