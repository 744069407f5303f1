import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '#platform/context.ts'
import { type Payer, payerOf } from '#platform/http.ts'
import { RawText, Type } from '#platform/schema.ts'

/** The field of a body that carries it. */
export const password = Type.Optional(RawText(128, { description: 'While the site asks for it when paying' }))

/** Refuses a request without the payment password while the site asks for one; the accounts above know how. */
export type PasswordCheck = (ctx: Context, payer: Payer) => Promise<void>

/** The check as a step of a route whose body has a `password`, valid or not. */
export const passwordStep =
  (ctx: Context, check: PasswordCheck) => (request: FastifyRequest, reply: FastifyReply) =>
    check(ctx, payerOf(ctx, { request, reply }))
