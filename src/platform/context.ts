import type { FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Secrets } from '#platform/crypto.ts'
import type { Replicas, Signals, Sql } from '#platform/database'
import type { Storage } from '#platform/files'
import type { Mail, SitePush } from '#platform/messaging'
import type { Log, Metrics } from '#platform/observability'
import type { RateLimiter } from '#platform/processes'
import type { SmsSender } from '#platform/sms'

/** External services, built once in main.ts and passed to every module. */
export type Context = {
  config: Config
  sql: Sql
  log: Log
  limiter: RateLimiter
  metrics: Metrics
  signals: Signals
  /** Read replicas for guests, if configured. */
  replicas?: Replicas
  secrets: Secrets
  storage: Storage
  mail: Mail
  sms: SmsSender
  push: SitePush
  /** Receives the body of each page before it is cached. Tests validate it against its schema. */
  inspectBody?: (request: FastifyRequest, status: number, body: unknown) => void
  /** Registers work for shutdown, such as writing buffered counts. */
  onClose: (() => Promise<void>)[]
  /** Values declared with `defineState`. Copies of a context share them. */
  state: Map<object, unknown>
}

/** Declares a value that lives as long as the context, such as a cache. Created on first use. */
export function defineState<T, C extends Pick<Context, 'state'> = Context>(
  create: (ctx: C) => T,
): (ctx: C) => T {
  const key = {}
  return (ctx) => {
    const known = ctx.state.get(key) as T | undefined
    if (known !== undefined) return known
    const made = create(ctx)
    ctx.state.set(key, made)
    return made
  }
}
