import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { newsPins } from '#modules/news/index.ts'
import { cancelPin, noLongerWaiting, notPinned, pinForFree, settlePin } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Created, Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { findNewsPin, listNewsPins } from './queries.ts'
import { AdminPin, NewPin, PinDecision, PinListing, PinParams, PinQuery } from './schema.ts'

const view = (pin: AdminPin): AdminPin => ({
  ...pin,
  expires_at: wireTimeOrNull(pin.expires_at),
  decided_at: wireTimeOrNull(pin.decided_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

const noSuchNews = () =>
  invalidField('news', { en: 'There is no such article.', zh: '资讯不存在。' }, 'no_such_news')

/** Pins of articles: decided, set for nothing, and ended. */
export function adminNewsPinRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability: 'admin: news' }
  const get = async (request: FastifyRequest) => {
    const pin = await findNewsPin(sql, (request.params as { pinned: number }).pinned)
    if (!pin) throw notFound()
    return pin
  }

  server.get(
    '/admin/news-pinneds',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Pins of articles and requests for them',
        querystring: PinQuery,
        response: { 200: PinListing },
      },
    },
    async (request) => {
      const { data, total } = await listNewsPins(sql, request.query)
      return { data: data.map(view), total }
    },
  )

  server.get(
    '/admin/news-pinneds/:pinned',
    { config: { access }, schema: { tags, params: PinParams, response: { 200: AdminPin } } },
    async (request) => view(await get(request)),
  )

  server.post(
    '/admin/news-pinneds',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Pin an article for nothing, or let its pin last longer',
        body: NewPin,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { news, day } = request.body
      const subject = await newsPins.find(sql, { news }, viewerOf(request).id)
      if (!subject) throw noSuchNews()
      const id = await transaction(sql, async (tx) => {
        const pin = await pinForFree(tx, newsPins, subject, { day, by: viewerOf(request).id })
        await recordAudit(tx, request, {
          action: 'news-pinneds.create',
          subjectType: 'pins',
          subjectId: pin.id,
          after: { news, day, expires_at: pin.expires_at },
        })
        return pin.id
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    '/admin/news-pinneds/:pinned',
    {
      config: { access, before: get },
      schema: {
        tags,
        summary: 'Accept or reject a request, once; who asked is told, and gets the points back if rejected',
        params: PinParams,
        body: PinDecision,
        response: { 204: Empty },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const { id, state } = await get(request)
        if (state !== 'pending') throw noLongerWaiting(403)
        const accept = request.body.action === 'accept'
        return atomically(async (tx) => {
          const decision = { accept, by: viewerOf(request).id, handled: 403 as const }
          const pin = await settlePin(tx, newsPins, id, decision)
          await recordAudit(tx, request, {
            action: `news-pinneds.${request.body.action}`,
            subjectType: 'pins',
            subjectId: id,
            before: { state: 'pending' },
            after: { state: pin.state, amount: pin.amount, expires_at: pin.expires_at },
          })
          return { status: 204 }
        })
      }),
  )

  server.delete(
    '/admin/news-pinneds/:pinned',
    {
      config: { access },
      schema: {
        tags,
        summary: 'End a pin; a request that waits is cancelled and paid back',
        params: PinParams,
        response: { 204: Empty },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const { id, state, amount } = await get(request)
        return atomically(async (tx) => {
          if ((await cancelPin(tx, id)) === 0) throw notPinned()
          await recordAudit(tx, request, {
            action: 'news-pinneds.delete',
            subjectType: 'pins',
            subjectId: id,
            before: { state, amount },
            after: { state: 'cancelled' },
          })
          return { status: 204 }
        })
      }),
  )
}
