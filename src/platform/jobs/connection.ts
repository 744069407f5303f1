import pg from 'pg'
import type { JobsConnection } from '#platform/jobs.ts'

/** A pool of the job runner's driver. */
export function openJobsPool(connection: JobsConnection, max: number): pg.Pool {
  const made = new pg.Pool({
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    max,
  })
  // Without a handler a lost idle connection ends the process; the runner opens another by itself.
  made.on('error', () => {})
  made.on('connect', (client) => client.on('error', () => {}))
  return made
}
