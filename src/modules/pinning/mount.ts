import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, say, viewerOf } from '#platform/http.ts'
import { once } from '#platform/idempotency.ts'
import { Empty, Id, Message, Type } from '#platform/schema.ts'
import { noLongerWaiting, notAddressedToYou, notPinned, notYoursToDecide } from './errors.ts'
import { endPin, findPin } from './queries.ts'
import { PinBody, type PinSubject } from './schema.ts'
import { admitApplicant, applyForPin, type PinKind, refuseSecondPin, settlePin } from './service.ts'

/** What a content module says of the pins of one kind of its things, or of the comments under them. */
export type PinOptions = PinKind & {
  /** The area under which the routes are documented. */
  tag: string
  /** Where POST asks for a pin, such as `/feeds/:feed/currency-pinneds`. */
  path: string
  /** What the path names, or undefined (404). */
  find(sql: Db, params: Record<string, number>, viewerId: number): Promise<PinSubject | undefined>
}

/** Where the people who are asked decide. */
export type DecisionOptions = {
  /** PATCH accepts; after the path of the request and the pin's id. */
  accept: string
  /** The verb and path of rejecting; ends in the pin's id. */
  reject: ['DELETE' | 'PATCH', string]
  /** DELETE ends a pin before its time. */
  end?: string
}

const paramsOf = (path: string) =>
  Type.Object(Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, Id])))

/** Offers to ask for a pin, and to people who are asked themselves to decide. */
export function mountPinning(
  server: Server,
  ctx: Context,
  options: PinOptions,
  decisions?: DecisionOptions,
): void {
  const tags = [options.tag]
  const named = (request: FastifyRequest) => request.params as Record<string, number>
  const find = async (request: FastifyRequest) => {
    const subject = await options.find(ctx.sql, named(request), viewerOf(request).id)
    if (!subject) throw notFound()
    return subject
  }
  const admit = async (request: FastifyRequest, reply: FastifyReply) => {
    const subject = await find(request)
    await admitApplicant(ctx, request, reply, subject)
    return subject
  }

  server.post(
    options.path,
    {
      config: {
        access: 'user',
        before: async (request, reply) =>
          refuseSecondPin(ctx.sql, options.channel, await admit(request, reply)),
      },
      schema: {
        tags,
        summary: 'Ask for a pin, paid with points',
        params: paramsOf(options.path),
        body: PinBody,
        response: { 201: Message },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const subject = await admit(request, reply)
        return atomically(
          async (tx) => {
            const pinned = await applyForPin(tx, options, subject, request.body)
            const body = pinned
              ? say(request, 'Pinned.', '置顶成功。')
              : say(request, 'Your request was submitted and waits for review.', '申请已提交，等待审核。')
            return { status: 201, body }
          },
          { single: true },
        )
      }),
  )

  if (!decisions) return

  server.patch(
    decisions.accept,
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'Accept a request to pin',
        params: paramsOf(decisions.accept),
        response: { 201: Message },
      },
    },
    (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const subject = await find(request)
        const pin = await findPin(ctx.sql, named(request).pinned!)
        const inPath =
          pin?.channel === options.channel &&
          pin.thing_id === subject.contentId &&
          pin.target_id === subject.targetId
        if (!inPath) throw notFound()
        const { id: by } = viewerOf(request)
        if (pin.decider_id !== by) throw notYoursToDecide()
        if (pin.state !== 'pending') throw noLongerWaiting(422)
        return atomically(async (tx) => {
          await settlePin(tx, options, pin.id, { accept: true, by, handled: 422 })
          return { status: 201, body: say(request, 'Accepted.', '置顶成功。') }
        })
      }),
  )

  const [method, reject] = decisions.reject
  server.route({
    method,
    url: reject,
    config: { access: 'user' },
    schema: {
      tags,
      summary: 'Reject a request to pin; who asked gets the points back',
      params: paramsOf(reject),
      response: { 204: Empty },
    },
    handler: (request, reply) =>
      once(ctx, request, reply, async (atomically) => {
        const pin = await findPin(ctx.sql, named(request).pinned!)
        if (!pin) throw notFound()
        if (Object.keys(named(request)).length > 1) {
          const { contentId, targetId } = await find(request)
          if (pin.thing_id !== contentId || pin.target_id !== targetId) throw notFound()
        }
        const { id: by } = viewerOf(request)
        if (pin.decider_id !== by || pin.channel !== options.channel) throw notAddressedToYou()
        if (pin.state !== 'pending') throw noLongerWaiting(422)
        return atomically(async (tx) => {
          await settlePin(tx, options, pin.id, { accept: false, by, handled: 422 })
          return { status: 204 }
        })
      }),
  })

  if (decisions.end === undefined) return
  server.delete(
    decisions.end,
    {
      config: { access: 'user' },
      schema: {
        tags,
        summary: 'End a pin before its time',
        params: paramsOf(decisions.end),
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const subject = await find(request)
      const { id } = viewerOf(request)
      if (subject.deciderId !== id) throw notYoursToDecide()
      if (!(await endPin(ctx.sql, options.channel, subject.targetId, id))) throw notPinned()
      return reply.code(204).send()
    },
  )
}
