import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { invalidField, notFound } from '#platform/errors.ts'
import { Empty, routesOn, type Server } from '#platform/http'
import { isPublicAddress, literalAddress } from '../../outbound.ts'
import { createWebhookSecret, invalidateSelectedTypes } from '../service.ts'
import {
  addressNotPublic,
  CreatedWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  RotatedSecret,
  rotateSecret,
  summaryOf,
  updateWebhook,
  WebhookChanges,
  WebhookInput,
  WebhookParams,
  WebhookQuery,
  WebhookView,
  webhookView,
} from './queries.ts'

/**
 * Requires an http or https URL without credentials. Unless private addresses are allowed, also rejects private IP
 * addresses and local names. The address of a host name can change, so each delivery checks the resolved address.
 */
function checkUrl(ctx: Context, text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw invalidField('url', {
      en: 'The url field must be an http or https URL without a user name and password.',
      zh: '网址必须是不含用户名和密码的 http 或 https 地址。',
    })
  if (ctx.config.webhooksAllowPrivate) return
  const literal = literalAddress(url)
  if (/(^|\.)(localhost|local|internal)\.?$/.test(url.hostname) || (literal && !isPublicAddress(literal)))
    throw addressNotPublic()
}

export function adminWebhookRoutes(server: Server, ctx: Context) {
  const { sql, secrets } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: webhooks' })
  const access = { ability: 'admin: notifications' }
  const params = WebhookParams

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/webhooks',
    tag: 'Admin: webhooks',
    ability: access.ability,
    subject: 'webhooks',
    entity: 'Webhook',
    noun: 'a webhook endpoint',
    nouns: 'webhook endpoints',
    param: 'webhook',
    item: WebhookView,
    query: WebhookQuery,
    list: listWebhooks,
    find: findWebhook,
    view: async (rows) => rows.map(webhookView),
  })

  route('POST /admin/webhooks', {
    operationId: 'adminCreateWebhook',
    summary: 'Add an endpoint; its secret is shown once',
    access,
    body: WebhookInput,
    reply: { 201: CreatedWebhook },
    errors: [addressNotPublic],
    handler: async (call) => {
      checkUrl(ctx, call.body.url)
      const secret = createWebhookSecret()
      const id = await transaction(sql, async (tx) => {
        const made = await insertWebhook(tx, call.body, secrets.seal(secret))
        await invalidateSelectedTypes(ctx, tx)
        await recordAudit(tx, call, {
          action: 'webhooks.create',
          subjectType: 'webhooks',
          subjectId: made,
          after: call.body,
        })
        return made
      })
      return { id, secret }
    },
  })

  route('PATCH /admin/webhooks/:webhook', {
    operationId: 'adminUpdateWebhook',
    summary: 'Change an endpoint',
    access,
    params,
    body: WebhookChanges,
    reply: { 204: Empty },
    errors: [addressNotPublic],
    load: ({ params }) => get(params.webhook),
    handler: async (call) => {
      const { id } = call.loaded
      if (call.body.url !== undefined) checkUrl(ctx, call.body.url)
      await transaction(sql, async (tx) => {
        if (!(await updateWebhook(tx, id, call.body))) throw notFound()
        await invalidateSelectedTypes(ctx, tx)
        await recordAudit(tx, call, {
          action: 'webhooks.update',
          subjectType: 'webhooks',
          subjectId: id,
          before: summaryOf(call.loaded),
          after: call.body,
        })
      })
    },
  })

  route('POST /admin/webhooks/:webhook/secret', {
    operationId: 'adminRotateWebhookSecret',
    summary: 'Rotate the secret of an endpoint; both secrets sign for a day',
    access,
    params,
    reply: { 201: RotatedSecret },
    handler: async (call) => {
      const { webhook } = call.params
      const secret = createWebhookSecret()
      await transaction(sql, async (tx) => {
        if (!(await rotateSecret(tx, webhook, secrets.seal(secret)))) throw notFound()
        await recordAudit(tx, call, {
          action: 'webhooks.rotate',
          subjectType: 'webhooks',
          subjectId: webhook,
        })
      })
      return { secret }
    },
  })

  route('DELETE /admin/webhooks/:webhook', {
    operationId: 'adminDeleteWebhook',
    summary: 'Remove an endpoint with its log',
    access,
    params,
    reply: { 204: Empty },
    load: ({ params }) => get(params.webhook),
    handler: async (call) => {
      const { id } = call.loaded
      await transaction(sql, async (tx) => {
        if (!(await deleteWebhook(tx, id))) throw notFound()
        await invalidateSelectedTypes(ctx, tx)
        await recordAudit(tx, call, {
          action: 'webhooks.delete',
          subjectType: 'webhooks',
          subjectId: id,
          before: summaryOf(call.loaded),
        })
      })
    },
  })
}
