import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Tx } from '#platform/database.ts'
import type { DeclaredError, Language } from '#platform/errors.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'
import type { Access, Viewer } from '#platform/http/viewer.ts'
import type { Kept } from '#platform/pages/replies.ts'
import type { Static, TObject, TSchema } from '#platform/schema.ts'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Stands for nobody in queries: no person has this id. */
export type Guest = { readonly id: 0; readonly standsIn?: true }
export const GUEST: Guest = { id: 0 }

/** Who calls: always a person where a token is needed, perhaps a guest where it is not. `viewer.id` is 0 for guests. */
type Caller<A> = A extends 'public' ? Guest : A extends 'optional' ? Viewer | Guest : Viewer

type Replies = Record<number, TSchema>
type Sent<R extends Replies> = { [S in keyof R]: R[S] extends TSchema ? Static<R[S]> : never }[keyof R]

/** What is known of a request before its body and query are validated. */
export type Arrival<A, P extends TSchema> = {
  request: FastifyRequest
  reply: FastifyReply
  params: Static<P>
  viewer: Caller<A>
}

/** A request whose input is valid, with what `load` found. */
export type Call<A, P extends TSchema, Q extends TSchema, B extends TSchema, L> = Arrival<A, P> & {
  query: Static<Q>
  body: Static<B>
  loaded: L
  /** In which the one who asks is answered. */
  language: Language
}

/**
 * Runs the work of a request in one transaction, which also keeps the reply under the request's `Idempotency-Key`. Work
 * that says `single` is one statement: without a reply to keep it needs no transaction around it.
 */
export type Atomically<T> = (work: (tx: Tx) => Promise<T>, options?: { single: boolean }) => Promise<Settled>

declare const settled: unique symbol
/** The reply of idempotent work: only `atomically` makes one. */
export type Settled = { [settled]: true }

export type RouteOptions<
  A extends Access,
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  R extends Replies,
  L,
> = {
  /** Verb and noun, unique and stable: generated clients name their functions by it, such as `listFeeds`. */
  operationId: string
  summary: string
  description?: string
  /** Where it is not the tag of the other routes of the file. */
  tag?: ApiTag
  /** Who may call. */
  access: A
  params?: P
  query?: Q
  body?: B
  /** Success status to body; the first status is sent unless the handler sets `reply.code`. */
  reply: R
  /** What a success answers, for the documentation, where the name of the schema does not say it. */
  returns?: string
  /** The errors that callers meet here beyond those every route has (not signed in, invalid input, too many requests). */
  errors?: readonly DeclaredError[]
  /** Other paths with the same answer, by the operationId of each. The documentation shows them as deprecated. */
  aliases?: Record<string, string>
  deprecated?: true
  /** An example of the body where a pre-filled one would mislead. */
  example?: Static<B>
  /** The content types of the body where it is not JSON alone. */
  consumes?: string[]
  bodyLimit?: number
  /** Says who somebody is on paper: no log holds the query of its requests. */
  personal?: true
  /** It publishes nothing and tells nobody anything: whoever may only read may do it too (sign-in-27). */
  whileSilenced?: true
  /**
   * It only reads, and may be answered by a replica that has replayed the viewer's last write (docs/scaling.md). What
   * fails there, or is not found, is asked of the primary.
   */
  replica?: true
  /**
   * Replies are kept in memory until a table that they were read from is written (docs/kept-pages.md). The handler may
   * read the database, the caches of the platform and buffered counts, and is given neither request nor reply.
   */
  kept?: Kept
  /**
   * Finds what the path names, or throws 404 or 403. Runs once, before invalid input is answered with 422 (rule
   * conventions-9), and hands its result to the handler.
   */
  load?: (arrival: Arrival<A, P>) => L | Promise<L>
  /**
   * The checks of `load` for a handler whose own statement makes them too: runs only when the input is invalid, so that
   * 404 and 403 still come before 422 and a valid request is spared a round trip.
   */
  whenInvalid?: (arrival: Arrival<A, P>) => unknown
}

type PlainHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  idempotent?: never
  handler: (call: Call<A, P, Q, B, Awaited<L>>) => Sent<R> | FastifyReply | Promise<Sent<R> | FastifyReply>
}

type IdempotentHandler<A, P extends TSchema, Q extends TSchema, B extends TSchema, R extends Replies, L> = {
  /**
   * The request moves money: an `Idempotency-Key` makes it safe to repeat. For a repeated request neither `load` nor the
   * handler runs.
   */
  idempotent: true
  handler: (call: Call<A, P, Q, B, Awaited<L>> & { atomically: Atomically<Sent<R>> }) => Promise<Settled>
}

type None = TObject<Record<never, never>>

/** Adds one route: `route('GET /feed/topics/:topic', { … })`. */
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

/** What a route looks like whose types are not known. */
export type AnyRoute = RouteOptions<Access, TSchema, TSchema, TSchema, Replies, unknown> & {
  idempotent?: true
  handler: (call: Call<Access, TSchema, TSchema, TSchema, unknown>) => unknown
}

/** What the documentation needs of a route beside its schemas. */
export type Documented = Pick<AnyRoute, 'operationId' | 'summary' | 'returns' | 'example'> & {
  errors: readonly DeclaredError[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    documented?: Documented
    /** The route answers invalid input itself, after its `load`. */
    loads?: true
    /** The route reads from replicas, where there are any. */
    readsReplica?: true
    whileSilenced?: true
  }
}
