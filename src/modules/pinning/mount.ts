import { registerMount } from '#contracts/content.ts'
import { checkPaymentPassword } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { type DeclaredError, notFound } from '#platform/errors.ts'
import {
  Empty,
  Id,
  localizedMessage,
  Message,
  payerOf,
  routesOn,
  type Server,
  Type,
  type UnvalidatedCall,
} from '#platform/http'
import type { PathIds, PinOptions } from './pin-kinds.ts'
import { endPin, findPin, type PinRow } from './queries.ts'
import {
  amountRequired,
  notAddressedToYou,
  notPinned,
  notYoursToDecide,
  PIN_ERRORS,
  PinBody,
  PlainPinBody,
  pinDecided,
} from './schema.ts'
import { admitApplicant, applyForPin, refuseSecondPin, settlePin } from './service.ts'

type Place = { path: string; aliases?: Record<string, string> }

export type DecisionOptions = {
  accept: Place
  reject: Place & { method: 'DELETE' | 'PATCH'; status: 201 | 204 }
  end?: string
  /**
   * Finds the pin request that the path names. Throws unless the viewer may decide it. If undefined, the
   * path contains the id of the request.
   */
  find?(sql: Db, ids: PathIds, viewerId: number): Promise<PinRow | undefined>
  errors?: readonly DeclaredError[]
}

const paramsOf = (path: string) =>
  Type.Object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Id])))

type Arriving = UnvalidatedCall<'user', ReturnType<typeof paramsOf>>

export function mountPinning(
  server: Server,
  ctx: Context,
  options: PinOptions,
  decisions?: DecisionOptions,
): void {
  registerMount(ctx, options.content)
  mountRequests(server, ctx, options)
  if (decisions) mountDecisions(server, ctx, options, decisions)
}

async function findSubject(ctx: Context, options: PinOptions, ids: PathIds, viewerId: number) {
  const subject = await options.find(ctx.sql, ids, viewerId)
  if (!subject) throw notFound()
  return subject
}

function mountRequests(server: Server, ctx: Context, options: PinOptions): void {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: options.tag })
  const admit = async (arrival: Arriving) => {
    const { params, viewer } = arrival
    const subject = await findSubject(ctx, options, params, viewer.id)
    if (!options.freeIsPlain || subject.deciderId !== viewer.id)
      await checkPaymentPassword(ctx, payerOf(ctx, arrival))
    await admitApplicant(sql, viewer.id, subject)
    return subject
  }

  route(`POST ${options.path}`, {
    operationId: `request${options.noun}Pin`,
    summary: 'Request a pin and pay with points',
    access: 'user',
    params: paramsOf(options.path),
    body: options.freeIsPlain ? PlainPinBody : PinBody,
    reply: { 201: Message },
    errors: [...PIN_ERRORS, amountRequired, ...(options.errors ?? [])],
    aliases: options.aliases ?? {},
    // Reports an open pin of the target before errors of the request body.
    precheck: async (arrival) => refuseSecondPin(sql, options.channel, await admit(arrival)),
    idempotent: true,
    handler: async (call) => {
      const { request, params, viewer, body, atomically } = call
      const admitted = await admit(call)
      return atomically(
        async (tx) => {
          const subject = (await options.hold?.(tx, params, viewer.id)) ?? admitted
          if (await applyForPin(tx, options, subject, body))
            return localizedMessage(request, 'Pinned.', '置顶成功。')
          await options.onRequest?.(tx, subject)
          return localizedMessage(
            request,
            'Your request was submitted and is waiting for review.',
            '申请已提交，等待审核。',
          )
        },
        { single: !options.hold && !options.onRequest },
      )
    },
  })
}

function mountDecisions(
  server: Server,
  ctx: Context,
  options: PinOptions,
  { accept, reject, end, ...decisions }: DecisionOptions,
): void {
  const { sql } = ctx
  const { noun, channel } = options
  const route = routesOn(server, ctx, { tag: options.tag })

  /** Finds a pin request by its id. Throws 404 when the path names content other than the request's. */
  const findById = async (ids: PathIds, viewerId: number, refuse: () => Error) => {
    const pin = await findPin(sql, ids.pinned!)
    if (!pin) throw notFound()
    if (Object.keys(ids).length > 1) {
      const { contentId, targetId } = await findSubject(ctx, options, ids, viewerId)
      if (pin.channel !== channel || pin.thing_id !== contentId || pin.target_id !== targetId)
        throw notFound()
    }
    if (pin.decider_id !== viewerId || pin.channel !== channel) throw refuse()
    return pin
  }
  const findWaiting = async ({ params, viewer }: Arriving, refuse: () => Error) => {
    const pin = decisions.find
      ? await decisions.find(sql, params, viewer.id)
      : await findById(params, viewer.id, refuse)
    if (!pin) throw notFound()
    if (pin.state !== 'pending') throw pinDecided()
    return pin
  }
  const errors = decisions.errors ?? []

  route(`PATCH ${accept.path}`, {
    operationId: `accept${noun}Pin`,
    summary: 'Accept a pin request',
    access: 'user',
    params: paramsOf(accept.path),
    reply: { 201: Message },
    errors: [notYoursToDecide, pinDecided, ...errors],
    aliases: accept.aliases ?? {},
    load: (arrival) => findWaiting(arrival, notYoursToDecide),
    idempotent: true,
    handler: ({ request, viewer, loaded: pin, atomically }) =>
      atomically(async (tx) => {
        await settlePin(tx, options, pin.id, { accept: true, by: viewer.id })
        return localizedMessage(request, 'Accepted.', '已同意置顶。')
      }),
  })

  const rejection = {
    operationId: `reject${noun}Pin`,
    summary: 'Reject a pin request and refund the points',
    access: 'user',
    params: paramsOf(reject.path),
    errors: [notAddressedToYou, pinDecided, ...errors],
    aliases: reject.aliases ?? {},
    load: (arrival: Arriving) => findWaiting(arrival, notAddressedToYou),
  } as const
  const operation = `${reject.method} ${reject.path}` as const
  if (reject.status === 201)
    route(operation, {
      ...rejection,
      idempotent: true,
      reply: { 201: Message },
      handler: ({ request, viewer, loaded: pin, atomically }) =>
        atomically(async (tx) => {
          await settlePin(tx, options, pin.id, { accept: false, by: viewer.id })
          return localizedMessage(request, 'Rejected.', '已拒绝置顶。')
        }),
    })
  else
    route(operation, {
      ...rejection,
      idempotent: true,
      reply: { 204: Empty },
      handler: ({ viewer, loaded: pin, atomically }) =>
        atomically(async (tx) => {
          await settlePin(tx, options, pin.id, { accept: false, by: viewer.id })
        }),
    })

  if (end === undefined) return
  route(`DELETE ${end}`, {
    operationId: `end${noun}Pin`,
    summary: 'End a pin before it expires',
    access: 'user',
    params: paramsOf(end),
    reply: { 204: Empty },
    errors: [notYoursToDecide, notPinned],
    load: ({ params, viewer }) => findSubject(ctx, options, params, viewer.id),
    handler: async ({ viewer, loaded: subject }) => {
      if (subject.deciderId !== viewer.id) throw notYoursToDecide()
      if (!(await endPin(sql, channel, subject.targetId, viewer.id))) throw notPinned()
    },
  })
}
