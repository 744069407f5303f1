import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '#platform/database'
import type { DeclaredError, Language } from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import type { Access, Viewer } from '#platform/http/viewer.ts'
import type { Static, TObject, TSchema } from './schema.ts'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The documentation of a deprecated path, with the operation that it stands for. */
export const aliasOf = (operationId: string) => ({
  deprecated: true,
  description: `An older path of \`${operationId}\`, for existing clients.`,
  'x-alias-of': operationId,
})

/** Id of a guest in queries; no user has it. */
export type Guest = { readonly id: 0 }
export const GUEST: Guest = { id: 0 }

/** The caller: a user where a token is required, perhaps a guest elsewhere. `viewer.id` is 0 for guests. */
type CallerOf<A> = A extends 'public' ? Guest : A extends 'optional' ? Viewer | Guest : Viewer

type Replies = Record<number, TSchema>
type Sent<R extends Replies> = { [S in keyof R]: R[S] extends TSchema ? Static<R[S]> : never }[keyof R]

/** The request before its body and query are validated. */
export type UnvalidatedCall<A, P extends TSchema> = {
  request: FastifyRequest
  reply: FastifyReply
  params: Static<P>
  viewer: CallerOf<A>
}

/** A valid request with the result of `load`. */
export type RouteCall<A, P extends TSchema, Q extends TSchema, B extends TSchema, L> = UnvalidatedCall<
  A,
  P
> & {
  query: Static<Q>
  body: Static<B>
  loaded: L
  language: Language
}

/**
 * Runs the work of a request in one transaction, which also stores the reply under the request's
 * `Idempotency-Key`. Work marked `single` is one statement, and needs no transaction without a reply to
 * store.
 */
export type Atomically<T> = (work: (tx: Tx) => Promise<T>, options?: { single: boolean }) => Promise<Settled>

declare const settled: unique symbol
/** The reply of idempotent work, made by `atomically` only. */
export type Settled = { [settled]: true }

export type RouteOptions<
  A extends Access,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Replies,
  L,
> = {
  /**
   * Verb and noun, unique and stable, because generated clients name functions after it, such as `listFeeds`.
   */
  operationId: string
  summary: string
  description?: string
  /** Tag, if not that of the other routes of the file. */
  tag?: ApiTag
  access: A
  params?: P
  query?: Q
  body?: B
  /** Body schema by success status. The first status is the default; the handler may set `reply.code`. */
  reply: R
  /** Describes the success reply when the schema's name does not. */
  returns?: string
  /** Errors beyond those of every route (not signed in, invalid input, too many requests). */
  errors?: readonly DeclaredError[]
  /** Aliases with the same reply: path to operationId. The documentation shows them as deprecated. */
  aliases?: Record<string, string>
  /** Marks the path as deprecated in favour of this operation. */
  aliasOf?: string
  /** Marks a path that existing clients call and nothing replaces. */
  deprecated?: true
  /** Example body, when a generated one would mislead. */
  example?: Static<B>
  /** Content types of the body, if not JSON alone. */
  consumes?: string[]
  bodyLimit?: number
  /**
   * The query holds personal data, so no log includes it. With `path` the path holds a secret too, and the log has the route
   * in place of the address.
   */
  personal?: true | 'path'
  /** The route publishes nothing and notifies no other user, so silenced users may call it (sign-in-27). */
  whileSilenced?: true
  /** Guests may ask for what was written a moment ago, so that no replica serves this route (docs/scaling.md). */
  primary?: true
  /** Never cached, although guests may call it. For replies that differ each time, such as a random sample. */
  fresh?: true
  /**
   * Loads what the path names, or throws 404 or 403. Runs once, before invalid input returns 422 (rule
   * conventions-9), and passes its result to the handler.
   */
  load?: (arrival: UnvalidatedCall<A, P>) => L | Promise<L>
  /**
   * The checks of `load` for a handler with a statement that makes them too. Runs only for invalid input, so
   * that 404 and 403 still come before 422 and a valid request saves a round trip.
   */
  precheck?: (arrival: UnvalidatedCall<A, P>) => unknown
}

type PlainHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  idempotent?: never
  handler: (
    call: RouteCall<A, P, Q, B, Awaited<L>>,
  ) => Sent<R> | FastifyReply | Promise<Sent<R> | FastifyReply>
}

type IdempotentHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  /**
   * The request moves money, and an `Idempotency-Key` makes it safe to repeat. A replay runs neither `load`
   * nor the handler.
   */
  idempotent: true
  handler: (call: RouteCall<A, P, Q, B, Awaited<L>> & { atomically: Atomically<Sent<R>> }) => Promise<Settled>
}

type None = TObject<Record<never, never>>

export type AddRoute = <
  const A extends Access,
  const R extends Replies,
  P extends TSchema = None,
  Q extends TSchema = None,
  B extends TSchema = None,
  L = undefined,
>(
  operation: `${Verb} ${string}`,
  options: RouteOptions<A, P, Q, B, R, L> &
    (PlainHandler<A, P, Q, B, R, L> | IdempotentHandler<A, P, Q, B, R, L>),
) => void

/** A route without its type parameters. */
export type AnyRoute = RouteOptions<Access, TSchema, TSchema, TSchema, Replies, unknown> & {
  idempotent?: true
  handler: (call: RouteCall<Access, TSchema, TSchema, TSchema, unknown>) => unknown
}

export type Documented = Pick<AnyRoute, 'operationId' | 'summary' | 'returns' | 'example'> & {
  errors: readonly DeclaredError[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    documented?: Documented
    /** The route replies to invalid input itself, after its `load`. */
    loads?: true
    whileSilenced?: true
  }
}
