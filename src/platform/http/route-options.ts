import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '#platform/database'
import type { DeclaredError, Language } from '#platform/errors.ts'
import type { Access, Viewer } from '#platform/http/admission.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import type { Static, TObject, TSchema } from './schema.ts'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** In queries, guests have the id 0, because no user has this id. */
export type Guest = { readonly id: 0 }
export const GUEST: Guest = { id: 0 }

type CallerOf<A> = A extends 'public' ? Guest : A extends 'optional' ? Viewer | Guest : Viewer

type Replies = Record<number, TSchema>
type Sent<R extends Replies> = { [S in keyof R]: R[S] extends TSchema ? Static<R[S]> : never }[keyof R]

export type Exchange = { request: FastifyRequest; reply: FastifyReply }

type Operation = `${Verb} ${string}`

/** Hides request and reply from handlers whose result the guest cache may store, because it may not depend on them. */
type ExchangeOf<O, A> = O extends `GET ${string}`
  ? A extends 'public' | 'optional'
    ? object
    : Exchange
  : Exchange

export type UnvalidatedCall<A, P extends TSchema, O = 'POST /'> = ExchangeOf<O, A> & {
  /** Returns request and reply, and keeps the result out of the guest cache. */
  uncached: () => Exchange
  params: Static<P>
  viewer: CallerOf<A>
}

export type RouteCall<
  A,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  L,
  O = 'POST /',
> = UnvalidatedCall<A, P, O> & {
  query: Static<Q>
  body: Static<B>
  loaded: L
  language: Language
}

/**
 * Runs work in one transaction that also stores the reply under the request's idempotency key. Without a key,
 * `single` work runs as one statement without a transaction.
 */
export type Atomically<T> = (work: (tx: Tx) => Promise<T>, options?: { single: boolean }) => Promise<Settled>

declare const settled: unique symbol
/**
 * Result that only `atomically` returns, so that the handler of an idempotent route must call `atomically`.
 */
export type Settled = { [settled]: true }

export type RouteOptions<
  A extends Access,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Replies,
  L,
  O,
> = {
  /**
   * Verb and noun such as `listFeeds`. Must stay stable, because SDKs name functions after the operationId.
   */
  operationId: string
  summary: string
  description?: string
  tag?: ApiTag
  access: A
  params?: P
  query?: Q
  body?: B
  /**
   * Schema of the response body by status. The lowest status is the default, and the handler may set another.
   */
  reply: R
  returns?: string
  /** Errors of this route in addition to 429 and to those that its other options imply, such as 401 and 422. */
  errors?: readonly DeclaredError[]
  /** Older paths by operationId, documented as deprecated. */
  aliases?: Record<string, string>
  aliasOf?: string
  deprecated?: true
  example?: Static<B>
  consumes?: string[]
  bodyLimit?: number
  /**
   * `true` omits the query from logs, because the query holds personal data. `path` also replaces the path
   * in logs by the route, because the path holds a secret.
   */
  personal?: true | 'path'
  /**
   * Use of the site's session cookie (docs/security.md). `never` is for routes that give or end credentials,
   * and the standard below `/auth`.
   * `elements` also accepts the cookie from pictures, videos, sounds and links of the site.
   */
  cookie?: 'never' | 'elements'
  /** Allows silenced users, because the route publishes nothing and notifies no other user (sign-in-27). */
  whileSilenced?: true
  /**
   * Reads from the primary for guests too. A client may fetch a new upload without a token before the
   * replicas have its row (docs/scaling.md).
   */
  primary?: true
  /**
   * Disables the guest cache, shared caches and replica reads for replies that differ with each request, such as
   * random samples.
   */
  fresh?: true
  /**
   * Loads the resource in the path, or throws 404 or 403. Runs before the validation error is thrown
   * (conventions-9).
   */
  load?: (arrival: UnvalidatedCall<A, P, O>) => L | Promise<L>
  /**
   * Replaces `load` on routes whose statement makes the same checks. Runs for invalid input only, so that 404
   * and 403 still precede 422.
   */
  precheck?: (arrival: UnvalidatedCall<A, P, O>) => unknown
}

type PlainHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L, O> = {
  idempotent?: never
  handler: (
    call: RouteCall<A, P, Q, B, Awaited<L>, O>,
  ) => Sent<R> | FastifyReply | Promise<Sent<R> | FastifyReply>
}

type IdempotentHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  /**
   * Makes retries with the same `Idempotency-Key` safe. A retry after success runs neither `load` nor the
   * handler.
   */
  idempotent: true
  handler: (call: RouteCall<A, P, Q, B, Awaited<L>> & { atomically: Atomically<Sent<R>> }) => Promise<Settled>
}

type None = TObject<Record<never, never>>

export type AddRoute = <
  const O extends Operation,
  const A extends Access,
  const R extends Replies,
  P extends TSchema = None,
  Q extends TSchema = None,
  B extends TSchema = None,
  L = undefined,
>(
  operation: O,
  options: RouteOptions<A, P, Q, B, R, L, NoInfer<O>> &
    (PlainHandler<A, P, Q, B, R, L, NoInfer<O>> | IdempotentHandler<A, P, Q, B, R, L>),
) => void

export type AnyRoute = RouteOptions<Access, TSchema, TSchema, TSchema, Replies, unknown, Operation> & {
  idempotent?: true
  handler: (call: RouteCall<Access, TSchema, TSchema, TSchema, unknown, Operation>) => unknown
}

export type Documented = Pick<AnyRoute, 'operationId' | 'summary' | 'returns' | 'example'> & {
  /** Method and path of the canonical route, also for its aliases. */
  operation: string
  errors: readonly DeclaredError[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Prefix of the operationIds of routes that are mounted a second time. */
    aliasName?: string
  }
  interface FastifyContextConfig {
    documented?: Documented
    loads?: true
    personal?: AnyRoute['personal']
    cookie?: AnyRoute['cookie']
    whileSilenced?: true
  }
}
