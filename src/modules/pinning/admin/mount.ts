import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { type DeclaredError, notFound } from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty, Id, Shared, type TProperties, Type } from '#platform/schema.ts'
import { notPinned, pinDecidedBefore, pinnedAlready } from '../errors.ts'
import type { PinOptions } from '../pin-kinds.ts'
import { Days } from '../schema.ts'
import { cancelPin, pinForFree, settlePin } from '../service.ts'
import { findAdminPin, listPins, type PinnedContent } from './queries.ts'
import { AdminPin, AdminPinParams, AdminPinQuery, PinDecision } from './schema.ts'

/** A kind of content whose pins administrators decide on. */
export type AdminPinOptions = {
  /** Names the content in paths, queries and bodies: `feed` makes `/admin/feed-pinneds`. */
  param: string
  /** Such as `feeds`, for the documentation. */
  plural: string
  tag: ApiTag
  ability: string
  pins: PinOptions
  rows: Omit<PinnedContent, 'channel'>
  /** What `rows.columns` adds to a pin. */
  shown: TProperties
  /** Thrown when the body names no such content. */
  missing: (() => Error) & DeclaredError
}

const view = (pin: AdminPin): AdminPin => ({
  ...pin,
  expires_at: wireTimeOrNull(pin.expires_at),
  decided_at: wireTimeOrNull(pin.decided_at),
  created_at: wireTime(pin.created_at),
  updated_at: wireTime(pin.updated_at),
})

/** Offers administrators to decide on pins of one kind of content, to pin for nothing, and to end pins. */
export function mountAdminPins(server: Server, ctx: Context, options: AdminPinOptions): void {
  const { sql } = ctx
  const { param, plural, pins, missing } = options
  const { noun } = pins
  const rows = { ...options.rows, channel: pins.channel }
  const path = `/admin/${param}-pinneds`
  const access = { ability: options.ability }
  const route = routesOn(server, ctx, { tag: options.tag })
  const Item = AdminPin(`Admin${noun}Pin`, options.shown)
  const get = async (id: number) => {
    const pin = await findAdminPin(sql, rows, id)
    if (!pin) throw notFound()
    return pin
  }
  /** The content that a query or body names. */
  const named = (input: unknown) => (input as { [param: string]: number | undefined })[param]

  route(`GET ${path}`, {
    operationId: `adminList${noun}Pins`,
    summary: `List pins of ${plural} and requests for them`,
    access,
    query: Type.Object({ ...AdminPinQuery.properties, [param]: Type.Optional(Id) }),
    reply: { 200: Listing(Item) },
    handler: async ({ query }) => {
      const { data, total } = await listPins(sql, rows, query as AdminPinQuery, named(query))
      return { data: data.map(view), total }
    },
  })

  route(`GET ${path}/:pinned`, {
    operationId: `adminGet${noun}Pin`,
    summary: `Read a pin of one of the ${plural}`,
    access,
    params: AdminPinParams,
    reply: { 200: Item },
    handler: async ({ params }) => view(await get(params.pinned)),
  })

  route(`POST ${path}`, {
    operationId: `adminPin${noun}`,
    summary: `Pin one of the ${plural} for nothing, or let its pin last longer`,
    access,
    body: Shared(`Admin${noun}PinForFree`, { [param]: Id, day: Days }),
    reply: { 201: Created },
    errors: [missing, pinnedAlready],
    handler: async (call) => {
      const { day } = call.body as { day: number }
      const contentId = named(call.body)!
      const by = call.viewer.id
      const subject = await pins.find(sql, { [param]: contentId }, by)
      if (!subject) throw missing()
      return transaction(sql, async (tx) => {
        const pin = await pinForFree(tx, pins, subject, { day, by })
        await recordAudit(tx, call, {
          action: `${param}-pinneds.create`,
          subjectType: 'pins',
          subjectId: pin.id,
          after: { [param]: contentId, day, expires_at: pin.expires_at },
        })
        return { id: pin.id }
      })
    },
  })

  route(`PATCH ${path}/:pinned`, {
    operationId: `adminDecide${noun}Pin`,
    summary: 'Accept or reject a request, once; who asked is told, and gets the points back if rejected',
    access,
    params: AdminPinParams,
    body: PinDecision,
    reply: { 204: Empty },
    errors: [pinDecidedBefore],
    load: ({ params }) => get(params.pinned),
    idempotent: true,
    handler: async (call) => {
      const { id, state } = call.loaded
      if (state !== 'pending') throw pinDecidedBefore()
      const { action } = call.body
      return call.atomically(async (tx) => {
        const pin = await settlePin(tx, pins, id, {
          accept: action === 'accept',
          by: call.viewer.id,
          handled: pinDecidedBefore,
        })
        await recordAudit(tx, call, {
          action: `${param}-pinneds.${action}`,
          subjectType: 'pins',
          subjectId: id,
          before: { state: 'pending' },
          after: { state: pin.state, amount: pin.amount, expires_at: pin.expires_at },
        })
      })
    },
  })

  route(`DELETE ${path}/:pinned`, {
    operationId: `adminEnd${noun}Pin`,
    summary: 'End a pin; a request that waits is cancelled and paid back',
    access,
    params: AdminPinParams,
    reply: { 204: Empty },
    errors: [notPinned],
    load: ({ params }) => get(params.pinned),
    idempotent: true,
    handler: (call) => {
      const { id, state, amount } = call.loaded
      return call.atomically(async (tx) => {
        if ((await cancelPin(tx, id)) === 0) throw notPinned()
        await recordAudit(tx, call, {
          action: `${param}-pinneds.delete`,
          subjectType: 'pins',
          subjectId: id,
          before: { state, amount },
          after: { state: 'cancelled' },
        })
      })
    },
  })
}
