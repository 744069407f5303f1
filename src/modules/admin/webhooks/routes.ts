import type { FastifyRequest } from 'fastify'
import { announceListened, createWebhookSecret, forgetListened } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { Empty, Id, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
} from './queries.ts'
import {
  CreatedWebhook,
  RotatedSecret,
  WebhookChanges,
  WebhookInput,
  WebhookListing,
  WebhookQuery,
  WebhookView,
} from './schema.ts'
import { checkUrl } from './service.ts'
import { summaryOf, webhookView } from './view.ts'

/** Endpoints that are told of every event. */
export function webhookRoutes(server: Server, ctx: Context) {
  const { sql, secrets } = ctx
  const access = { ability: 'admin: notifications' }
  const tags = ['Administration']
  const params = Type.Object({ webhook: Id })
  const before = async (request: FastifyRequest) => {
    if (!(await findWebhook(sql, (request.params as { webhook: number }).webhook))) throw notFound()
  }

  server.get(
    '/admin/webhooks',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Webhook endpoints',
        querystring: WebhookQuery,
        response: { 200: WebhookListing },
      },
    },
    async (request) => {
      const { data, total } = await listWebhooks(sql, request.query)
      return { data: data.map(webhookView), total }
    },
  )

  server.get(
    '/admin/webhooks/:webhook',
    {
      config: { access },
      schema: { tags, summary: 'A webhook endpoint', params, response: { 200: WebhookView } },
    },
    async (request) => {
      const row = await findWebhook(sql, request.params.webhook)
      if (!row) throw notFound()
      return webhookView(row)
    },
  )

  server.post(
    '/admin/webhooks',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Add an endpoint; its secret is shown once',
        body: WebhookInput,
        response: { 201: CreatedWebhook },
      },
    },
    async (request, reply) => {
      checkUrl(ctx, request.body.url)
      const secret = createWebhookSecret()
      const id = await transaction(sql, async (tx) => {
        const made = await insertWebhook(tx, request.body, secrets.seal(secret))
        await announceListened(ctx, tx)
        await recordAudit(tx, request, {
          action: 'webhooks.create',
          subjectType: 'webhooks',
          subjectId: made,
          after: request.body,
        })
        return made
      })
      forgetListened(ctx)
      return reply.code(201).send({ id, secret })
    },
  )

  server.patch(
    '/admin/webhooks/:webhook',
    {
      config: { access, before },
      schema: { tags, summary: 'Change an endpoint', params, body: WebhookChanges, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { webhook } = request.params
      const former = await findWebhook(sql, webhook)
      if (!former) throw notFound()
      if (request.body.url !== undefined) checkUrl(ctx, request.body.url)
      await transaction(sql, async (tx) => {
        if (!(await updateWebhook(tx, webhook, request.body))) throw notFound()
        await announceListened(ctx, tx)
        await recordAudit(tx, request, {
          action: 'webhooks.update',
          subjectType: 'webhooks',
          subjectId: webhook,
          before: summaryOf(former),
          after: request.body,
        })
      })
      forgetListened(ctx)
      return reply.code(204).send()
    },
  )

  server.post(
    '/admin/webhooks/:webhook/secret',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Give an endpoint a new secret; for a day both sign',
        params,
        response: { 201: RotatedSecret },
      },
    },
    async (request, reply) => {
      const { webhook } = request.params
      const secret = createWebhookSecret()
      await transaction(sql, async (tx) => {
        if (!(await rotateSecret(tx, webhook, secrets.seal(secret)))) throw notFound()
        await recordAudit(tx, request, {
          action: 'webhooks.rotate',
          subjectType: 'webhooks',
          subjectId: webhook,
        })
      })
      return reply.code(201).send({ secret })
    },
  )

  server.delete(
    '/admin/webhooks/:webhook',
    {
      config: { access },
      schema: { tags, summary: 'Remove an endpoint with its log', params, response: { 204: Empty } },
    },
    async (request, reply) => {
      const { webhook } = request.params
      const former = await findWebhook(sql, webhook)
      if (!former) throw notFound()
      await transaction(sql, async (tx) => {
        if (!(await deleteWebhook(tx, webhook))) throw notFound()
        await announceListened(ctx, tx)
        await recordAudit(tx, request, {
          action: 'webhooks.delete',
          subjectType: 'webhooks',
          subjectId: webhook,
          before: summaryOf(former),
        })
      })
      forgetListened(ctx)
      return reply.code(204).send()
    },
  )
}
