import type { FastifyRequest } from 'fastify'
import { replay, sendPing } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { apiError, invalidField, notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Created, Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../../audit/queries.ts'
import { findDelivery, findWebhook, listDeliveries } from '../queries.ts'
import { DeliveryListing, DeliveryQuery, DeliveryView, ReplayBody, Replayed } from '../schema.ts'
import { deliveryView } from '../view.ts'

const disabled = apiError(422, 'webhook_disabled', 'This endpoint is disabled.', '该回调地址已停用。')

/** A time in UTC, in either form. */
function timeOf(text: string): string {
  const time = new Date(`${text.replace(' ', 'T').replace(/Z$/, '')}Z`)
  if (Number.isNaN(time.getTime()))
    throw invalidField('since', { en: 'The since field is not a time.', zh: 'since 不是有效的时间。' })
  return time.toISOString()
}

/** What was sent to an endpoint, and sending it again. */
export function webhookDeliveryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const access = { ability: 'admin: notifications' }
  const tags = ['Administration']
  const params = Type.Object({ webhook: Id })
  const deliveryParams = Type.Object({ webhook: Id, delivery: Id })
  const findOne = async (id: number) => {
    const webhook = await findWebhook(sql, id)
    if (!webhook) throw notFound()
    return webhook
  }
  const before = (request: FastifyRequest) => findOne((request.params as { webhook: number }).webhook)

  server.get(
    '/admin/webhooks/:webhook/deliveries',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'What was sent to an endpoint',
        params,
        querystring: DeliveryQuery,
        response: { 200: DeliveryListing },
      },
    },
    async (request) => {
      const { id } = await findOne(request.params.webhook)
      const { data, total } = await listDeliveries(sql, id, request.query)
      return { data: data.map(deliveryView), total }
    },
  )

  server.get(
    '/admin/webhooks/:webhook/deliveries/:delivery',
    {
      config: { access },
      schema: {
        tags,
        summary: 'A delivery with its body and every attempt',
        params: deliveryParams,
        response: { 200: DeliveryView },
      },
    },
    async (request) => {
      const row = await findDelivery(sql, request.params.webhook, request.params.delivery)
      if (!row) throw notFound()
      return deliveryView(row)
    },
  )

  server.post(
    '/admin/webhooks/:webhook/deliveries/:delivery/replay',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Send a delivery again, under the same id',
        params: deliveryParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { webhook, delivery } = request.params
      if (!(await findDelivery(sql, webhook, delivery))) throw notFound()
      if (!(await findOne(webhook)).enabled) throw disabled()
      await transaction(sql, async (tx) => {
        await replay(tx, webhook, { id: delivery })
        await recordAudit(tx, request, {
          action: 'webhooks.replay',
          subjectType: 'webhooks',
          subjectId: webhook,
          after: { delivery },
        })
      })
      return reply.code(204).send()
    },
  )

  server.post(
    '/admin/webhooks/:webhook/replay',
    {
      config: { access, before },
      schema: {
        tags,
        summary: 'Send again what failed since a time, at most 1,000 at once',
        params,
        body: ReplayBody,
        response: { 200: Replayed },
      },
    },
    async (request) => {
      const { id, enabled } = await findOne(request.params.webhook)
      if (!enabled) throw disabled()
      const failedSince = timeOf(request.body.since)
      const count = await transaction(sql, async (tx) => {
        const replayed = await replay(tx, id, { failedSince })
        await recordAudit(tx, request, {
          action: 'webhooks.replay',
          subjectType: 'webhooks',
          subjectId: id,
          after: request.body,
        })
        return replayed
      })
      return { count }
    },
  )

  server.post(
    '/admin/webhooks/:webhook/ping',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Send an event of the type webhook.ping to try an endpoint; answers its delivery',
        params,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { id } = await findOne(request.params.webhook)
      const delivery = await transaction(sql, (tx) => sendPing(tx, id))
      if (delivery === undefined) throw disabled()
      return reply.code(201).send({ id: delivery })
    },
  )
}
