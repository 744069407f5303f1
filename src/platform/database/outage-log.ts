import { messageOf } from '#lib/faults.ts'
import type { Log } from '#platform/observability'
import { isConnectionError } from './database.ts'

/** Logs the start and the end of an outage once, however many pools and connections of the process notice it. */
export function createOutageLog(log: Log) {
  let isAway = false
  return {
    onOutage(error: unknown): void {
      if (isAway) return
      isAway = true
      log.error({ fault: messageOf(error) }, 'the database cannot be reached: requests fail until it answers')
    },
    onReach(): void {
      if (!isAway) return
      isAway = false
      log.info('the database answers again')
    },
  }
}

/**
 * Logs a failure of work that repeats by itself. An outage of the database has its own line, so that its failures are
 * details.
 */
export function logFailure(log: Log, error: unknown, message: string, fields: object = {}): void {
  if (isConnectionError(error)) log.debug({ ...fields, fault: messageOf(error) }, message)
  else log.warn({ ...fields, err: error }, message)
}
