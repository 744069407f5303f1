import { METHODS } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { countTraffic, TIME_CLASSES, type Traffic } from './request-times.ts'

export type ObservedRequest = {
  method: string
  /** The pattern of the route, such as `/feeds/:feed`; undefined when none matched. */
  route: string | undefined
  status: number
  seconds: number
}

/** Connections of the database pool; what the driver does not know is left out. */
export type PoolState = Partial<Record<'max' | 'open' | 'busy' | 'idle' | 'waiting', number>>

export type Metrics = {
  registry: Registry
  contentType: string
  observeRequest(request: ObservedRequest): void
  /** The requests that were observed since this was called last. */
  takeTraffic(): Traffic
  /** Counts a request as in flight until the function it returns is called (once; later calls do nothing). */
  enterRequest(): () => void
  /** Counts a request that was refused unseen. */
  countShed(): void
  /** How many requests are in flight now. */
  requestsInFlight(): number
  /** Answers what counts the pages that are kept, made or compared; `read` is asked at each scrape. */
  countPages(read: () => { pages: number; bytes: number }): (event: string) => void
  /** `read` is asked at each scrape. */
  gaugePool(read: () => PoolState | Promise<PoolState>): void
  /** Memory, CPU, event loop and garbage collection of the process; call once. */
  defaultProcessMetrics(): void
  /** The Prometheus text format, to be sent as `contentType`. */
  render(): Promise<string>
}

const methods = new Set(METHODS)
const unmatched = 'unmatched'
/** More than the API has; past it, patterns are paths handed in by mistake. */
const maxRoutes = 2_000

/** A registry of its own for each call, so that several apps can live in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: TIME_CLASSES,
    registers: [registry],
  })
  const traffic = countTraffic()
  // Counted here and told when asked: a gauge looks its labels up at every change.
  let inFlight = 0
  let shed = 0
  new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests refused at once because too many were waiting',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(shed)
    },
  })
  new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests being answered',
    registers: [registry],
    collect() {
      this.set(inFlight)
    },
  })
  let pageEvents: Map<string, number> | undefined
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
    observeRequest({ method, route, status, seconds }) {
      const labels = {
        method: methods.has(method) ? method : 'OTHER',
        route: boundedRoute(route),
        status: status >= 100 && status <= 599 ? Math.trunc(status) : 0,
      }
      duration.observe(labels, seconds)
      traffic.add(labels.status, seconds)
    },
    takeTraffic: traffic.take,
    enterRequest() {
      let isOpen = true
      inFlight += 1
      return () => {
        if (isOpen) inFlight -= 1
        isOpen = false
      }
    },
    countShed: () => {
      shed += 1
    },
    requestsInFlight: () => inFlight,
    countPages(read) {
      const known = pageEvents
      if (known) return (event) => void known.set(event, (known.get(event) ?? 0) + 1)
      const events = new Map<string, number>()
      pageEvents = events
      new Counter({
        name: 'http_kept_pages_total',
        help: 'Replies by what became of their pages: found, made, made for one viewer, compared, different',
        labelNames: ['event'] as const,
        registers: [registry],
        collect() {
          this.reset()
          for (const [event, count] of events) this.inc({ event }, count)
        },
      })
      new Gauge({
        name: 'http_kept_pages',
        help: 'Pages in memory',
        registers: [registry],
        collect() {
          this.set(read().pages)
        },
      })
      new Gauge({
        name: 'http_kept_pages_bytes',
        help: 'Memory that pages take',
        registers: [registry],
        collect() {
          this.set(read().bytes)
        },
      })
      return (event) => void events.set(event, (events.get(event) ?? 0) + 1)
    },
    gaugePool(read) {
      new Gauge({
        name: 'database_pool_connections',
        help: 'Connections to the database by state, and callers waiting for one',
        labelNames: ['state'] as const,
        registers: [registry],
        async collect() {
          for (const [state, count] of Object.entries(await read())) this.set({ state }, count)
        },
      })
    },
    defaultProcessMetrics: () => collectDefaultMetrics({ register: registry }),
    render: () => registry.metrics(),
  }
}
