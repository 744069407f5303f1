import type { FastifyRequest } from 'fastify'
import type { Config } from '#platform/config'
import type { Secrets } from '#platform/crypto.ts'
import type { Replicas, Signals, Sql } from '#platform/database'
import type { Storage } from '#platform/files'
import type { Log, Metrics } from '#platform/observability'
import type { RateLimiter } from '#platform/processes'

export type Context = {
  config: Config
  sql: Sql
  log: Log
  limiter: RateLimiter
  metrics: Metrics
  signals: Signals
  replicas?: Replicas | undefined
  secrets: Secrets
  storage: Storage
  /** Validates each response body against its schema. Only tests set this hook. */
  inspectBody?: (request: FastifyRequest, status: number, body: unknown) => void
  onClose: (() => Promise<void>)[]
  /** Ends all processes of this server and starts it again. Only servers have it. */
  restart?: () => void
  state: Map<object, unknown>
}

/** Declares a lazily created value with one instance per context, such as a cache. */
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
