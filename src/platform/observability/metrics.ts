import { METHODS } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

type ObservedRequest = { method: string; route: string | undefined; status: number; seconds: number }

type PoolState = Partial<Record<'max' | 'busy' | 'idle' | 'waiting' | 'pressure', number>>

export type Metrics = ReturnType<typeof createMetrics>

const methods = new Set(METHODS)
const unmatched = 'unmatched'
/** Limits the memory for labels, in case a caller passes paths instead of route patterns. */
const maxRoutes = 2_000

/** Adds a gauge without labels that reads its value at each scrape. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | Promise<number>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read())
    },
  })
}

/** Creates a registry per call, so that tests can run several servers in one process. */
export function createMetrics() {
  const registry = new Registry()
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: TIME_CLASSES,
    registers: [registry],
  })
  const traffic = countTraffic()
  // Sets the gauge only at a scrape, because each change of a gauge looks up its labels.
  let inFlight = 0
  const running = new Map<string, number>()
  const guestReplies = new Counter({
    name: 'http_guest_replies_total',
    help: 'Responses to guests on open routes, by cache hit (GUEST_CACHE_MS) or miss',
    labelNames: ['event'] as const,
    registers: [registry],
  })
  const shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests refused at once because too many were waiting',
    registers: [registry],
  })
  addGauge(registry, 'http_requests_in_flight', 'Requests in progress', () => inFlight)
  const routes = new Set<string>()

  function boundedRoute(route: string | undefined): string {
    if (route === undefined) return unmatched
    if (routes.has(route)) return route
    if (routes.size >= maxRoutes) return unmatched
    routes.add(route)
    return route
  }

  return {
    registry,
    contentType: registry.contentType,
    observeRequest({ method, route, status, seconds }: ObservedRequest) {
      const labels = {
        method: methods.has(method) ? method : 'OTHER',
        route: boundedRoute(route),
        status: status >= 100 && status <= 599 ? Math.trunc(status) : 0,
      }
      duration.observe(labels, seconds)
      traffic.add(labels.status, seconds)
    },
    takeTraffic: traffic.take,
    enterRequest(route: string = unmatched) {
      let isOpen = true
      inFlight += 1
      running.set(route, (running.get(route) ?? 0) + 1)
      return () => {
        if (!isOpen) return
        isOpen = false
        inFlight -= 1
        const left = (running.get(route) ?? 1) - 1
        if (left > 0) running.set(route, left)
        else running.delete(route)
      }
    },
    /** Routes with requests in progress. The most recent one is last. */
    routesInFlight: () => [...running.keys()],
    countShed: () => shed.inc(),
    requestsInFlight: () => inFlight,
    countGuestReply: (event: 'hit' | 'made') => guestReplies.inc({ event }),
    gaugePool(read: () => PoolState | Promise<PoolState>) {
      new Gauge({
        name: 'database_pool_connections',
        help: 'Connections to the database by state, and callers waiting for one',
        labelNames: ['state'] as const,
        registers: [registry],
        async collect() {
          const { pressure: _, ...counts } = await read()
          for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
        },
      })
      new Gauge({
        name: 'database_pool_pressure',
        help: 'Fraction of its timeout that the first request in the connection queue has waited',
        registers: [registry],
        aggregator: 'max',
        async collect() {
          this.set((await read()).pressure ?? 0)
        },
      })
    },
    defaultProcessMetrics: () => collectDefaultMetrics({ register: registry }),
    render: () => registry.metrics(),
  }
}

/** Upper bounds in seconds of the buckets for response times. One more bucket has no upper bound. */
export const TIME_CLASSES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** `faults` counts 5xx responses, and `times` counts requests per bucket of `TIME_CLASSES`. */
export type Traffic = { requests: number; faults: number; times: number[] }

export function countTraffic() {
  const none = (): Traffic => ({
    requests: 0,
    faults: 0,
    times: new Array<number>(TIME_CLASSES.length + 1).fill(0),
  })
  let traffic = none()
  return {
    add(status: number, seconds: number): void {
      let at = 0
      while (at < TIME_CLASSES.length && seconds > TIME_CLASSES[at]!) at += 1
      traffic.requests += 1
      if (status >= 500) traffic.faults += 1
      traffic.times[at]! += 1
    },
    take(): Traffic {
      const taken = traffic
      traffic = none()
      return taken
    },
  }
}

export function quantileMs(times: readonly number[], part: number): number | null {
  const wanted = times.reduce((sum, count) => sum + count, 0) * part
  let below = 0
  for (const [at, count] of times.entries()) {
    if (count > 0 && below + count >= wanted) {
      const from = at === 0 ? 0 : TIME_CLASSES[at - 1]!
      // The last bucket has no upper bound, so the result is the lower bound of that bucket.
      const to = TIME_CLASSES[at] ?? from
      return Math.round((from + ((to - from) * (wanted - below)) / count) * 10_000) / 10
    }
    below += count
  }
  return null
}
