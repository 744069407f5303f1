import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { feedPins } from '#modules/feeds/index.ts'
import { newsPins } from '#modules/news/index.ts'
import {
  cancelPin,
  Days,
  noLongerWaiting,
  notPinned,
  type PinOptions,
  pinForFree,
  settlePin,
} from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty, Id, Nullable, type TSchema, Type } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { findPinOf, listPins, type PinnedContent } from './queries.ts'
import { AdminPin, PinDecision, PinParams, PinQuery } from './schema.ts'

/** One kind of things whose pins administrators decide on. */
type PinArea = {
  /** Names the thing in paths, queries and bodies. */
  content: 'feed' | 'news'
  /** Such as `feeds`, for the documentation. */
  plural: string
  ability: string
  pins: PinOptions
  rows: PinnedContent
  /** What `rows.columns` adds to a pin. */
  shown: Record<string, TSchema>
  missing: () => Error
}

const feeds: PinArea = {
  content: 'feed',
  plural: 'feeds',
  ability: 'admin: feed pinneds',
  pins: feedPins,
  rows: {
    channel: feedPins.channel,
    columns: (sql) => sql`p.target_id as feed_id, t.feed_content`,
    table: (sql) => sql`feeds t`,
    text: (sql) => sql`t.feed_content`,
  },
  shown: { feed_id: Type.Integer(), feed_content: Nullable(Type.String()) },
  missing: () =>
    invalidField('feed', { en: 'There is no such feed.', zh: '动态不存在或已被删除。' }, 'no_such_feed'),
}

const news: PinArea = {
  content: 'news',
  plural: 'articles',
  ability: 'admin: news',
  pins: newsPins,
  rows: {
    channel: newsPins.channel,
    columns: (sql) => sql`p.target_id as news_id, t.title`,
    table: (sql) => sql`news t`,
    text: (sql) => sql`t.title`,
  },
  shown: { news_id: Type.Integer(), title: Nullable(Type.String()) },
  missing: () =>
    invalidField('news', { en: 'There is no such article.', zh: '资讯不存在。' }, 'no_such_news'),
}

/** Pins of feeds and of articles: decided, set for nothing, and ended. */
export function adminPinRoutes(server: Server, ctx: Context): void {
  for (const area of [feeds, news]) areaRoutes(server, ctx, area)
}

const view = (pin: AdminPin): AdminPin => ({
  ...pin,
  expires_at: wireTimeOrNull(pin.expires_at),
  decided_at: wireTimeOrNull(pin.decided_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

function areaRoutes(server: Server, ctx: Context, { content, plural, pins, rows, ...area }: PinArea): void {
  const { sql } = ctx
  const path = `/admin/${content}-pinneds`
  const tags = ['Administration']
  const access = { ability: area.ability }
  const item = Type.Object({ ...AdminPin.properties, ...area.shown }) as unknown as typeof AdminPin
  const get = async (request: FastifyRequest) => {
    const pin = await findPinOf(sql, rows, (request.params as { pinned: number }).pinned)
    if (!pin) throw notFound()
    return pin
  }
  /** The thing that a query or body names. */
  const named = (input: unknown) => (input as { [content: string]: number | undefined })[content]

  server.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: `Pins of ${plural} and requests for them`,
        querystring: Type.Object({ ...PinQuery.properties, [content]: Type.Optional(Id) }),
        response: { 200: Listing(item) },
      },
    },
    async (request) => {
      const { data, total } = await listPins(sql, rows, request.query as PinQuery, named(request.query))
      return { data: data.map(view), total }
    },
  )

  server.get(
    `${path}/:pinned`,
    { config: { access }, schema: { tags, params: PinParams, response: { 200: item } } },
    async (request) => view(await get(request)),
  )

  server.post(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: `Pin one of the ${plural} for nothing, or let its pin last longer`,
        body: Type.Object({ [content]: Id, day: Days }),
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { day } = request.body as { day: number }
      const contentId = named(request.body) as number
      const by = viewerOf(request).id
      const subject = await pins.find(sql, { [content]: contentId }, by)
      if (!subject) throw area.missing()
      const id = await transaction(sql, async (tx) => {
        const pin = await pinForFree(tx, pins, subject, { day, by })
        await recordAudit(tx, request, {
          action: `${content}-pinneds.create`,
          subjectType: 'pins',
          subjectId: pin.id,
          after: { [content]: contentId, day, expires_at: pin.expires_at },
        })
        return pin.id
      })
      return reply.code(201).send({ id })
    },
  )

  server.patch(
    `${path}/:pinned`,
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
          const pin = await settlePin(tx, pins, id, { accept, by: viewerOf(request).id, handled: 403 })
          await recordAudit(tx, request, {
            action: `${content}-pinneds.${request.body.action}`,
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
    `${path}/:pinned`,
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
            action: `${content}-pinneds.delete`,
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
