import type { Context } from './context.ts'
import type { Db } from './database/index.ts'

/** Seconds by which the clock of this node is ahead of another one. Negative while it is behind. */
export type ClockSkews = { database: number; redis?: number }

/** Skew in seconds that operators should remove. Exceeds what a slow reply can pretend. */
const MOST_SKEW = 5

async function compare(read: () => Promise<number | undefined>): Promise<number | undefined> {
  const before = Date.now()
  const started = performance.now()
  const other = await read()
  // Assumes that the other clock was read halfway. Uses a monotonic clock, because this node's may be set meanwhile.
  return other === undefined ? undefined : (before + (performance.now() - started) / 2 - other) / 1000
}

/** Returns the time by the clock of the database in milliseconds, for decisions that outlive a wrong clock of a node. */
export async function databaseTime(sql: Db): Promise<number> {
  const [row] = await sql<[{ ms: number }]>`
    select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms`
  return row.ms
}

/** Compares the clock of this node with those of the database and of Redis. */
export async function measureSkews({ sql, limiter }: Pick<Context, 'sql' | 'limiter'>): Promise<ClockSkews> {
  const [database = 0, redis] = await Promise.all([compare(() => databaseTime(sql)), compare(limiter.clock)])
  return { database, ...(redis === undefined ? {} : { redis }) }
}

/** Names the clocks that differ from the one of this node. Null if all agree. */
export function skewFault(skews: ClockSkews): string | null {
  const wrong = Object.entries(skews).filter(([, seconds]) => Math.abs(seconds) > MOST_SKEW)
  if (wrong.length === 0) return null
  const parts = wrong.map(
    ([name, seconds]) =>
      `${Math.abs(seconds).toFixed(1)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${name === 'redis' ? 'Redis' : 'the database'}`,
  )
  return `the clock of this server is ${parts.join(' and ')}: synchronize both machines with NTP`
}
