import type { FastifyRequest } from 'fastify'
import type { Config } from '#platform/config.ts'
import type { Secrets } from '#platform/crypto.ts'
import type { Sql } from '#platform/database.ts'
import type { Log } from '#platform/log.ts'
import type { Mail } from '#platform/mail.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { PushSender } from '#platform/push.ts'
import type { RateLimiter } from '#platform/rate-limit.ts'
import type { Replicas } from '#platform/replicas.ts'
import type { Signals } from '#platform/signals.ts'
import type { SmsSender } from '#platform/sms.ts'
import type { Storage } from '#platform/storage/storage.ts'

/** The outside world, built once in main.ts and passed to every module. */
export type Context = {
  config: Config
  sql: Sql
  log: Log
  limiter: RateLimiter
  metrics: Metrics
  signals: Signals
  /** Where there are any. */
  replicas?: Replicas
  secrets: Secrets
  storage: Storage
  mail: Mail
  sms: SmsSender
  push: PushSender
  /** Sees the body of each page before it is kept: tests hold it against its schema. */
  inspectBody?: (request: FastifyRequest, status: number, body: unknown) => void
  /** Work to be done before the process ends, such as writing counts that are summed in memory. */
  onClose: (() => Promise<void>)[]
}
