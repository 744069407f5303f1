import { Counter, Gauge } from 'prom-client'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

const EVERY_MS = 100
/** Delay in milliseconds above which no request of the process made progress for a noticeable time. */
const MOST_DELAY_MS = 1_000
const ROUTES_SHOWN = 5

/**
 * Measures how late the event loop runs a timer, and logs long delays with the routes that were running. A small
 * `cpuMs` means that the process was paused, and not that its code ran for so long.
 */
export function watchLoop(
  { registry, routesInFlight }: Pick<Metrics, 'registry' | 'routesInFlight'>,
  log: Log,
): { close(): void } {
  let longest = 0
  let last = performance.now()
  let cpu = process.cpuUsage()
  new Gauge({
    name: 'event_loop_delay_seconds',
    help: 'Longest delay of the event loop since the last scrape',
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set(longest / 1000)
      longest = 0
    },
  })
  const blocked = new Counter({
    name: 'event_loop_blocked_total',
    help: 'Delays of the event loop of more than a second',
    registers: [registry],
  })
  const timer = setInterval(() => {
    const now = performance.now()
    const delay = now - last - EVERY_MS
    last = now
    const { user, system } = process.cpuUsage(cpu)
    cpu = process.cpuUsage()
    longest = Math.max(longest, delay)
    if (delay < MOST_DELAY_MS) return
    blocked.inc()
    const cpuMs = Math.round((user + system) / 1000)
    log.warn(
      { ms: Math.round(delay), cpuMs, routes: routesInFlight().slice(0, ROUTES_SHOWN) },
      'the event loop was blocked',
    )
  }, EVERY_MS).unref()
  return { close: () => clearInterval(timer) }
}
