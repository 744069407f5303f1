import pTimeout from 'p-timeout'
import { AggregatorRegistry, Counter, type MetricObject, Registry } from 'prom-client'
import { addGauge } from '#platform/observability'
import type { Channel } from './channel.ts'

const ANSWER_MS = 1_000

type Snapshot = MetricObject[]

/**
 * Returns false for gauges. The total drops the gauges of an exited process, because only counters and
 * histograms add up over time.
 */
const isCounted = ({ type }: MetricObject) => ['counter', 'histogram'].includes(String(type))

export function gatherMetrics(state: () => { running: number; restarts: number }) {
  const own = new Registry()
  addGauge(own, 'server_processes', 'Processes that serve requests', () => state().running)
  new Counter({
    name: 'server_process_restarts_total',
    help: 'Processes that exited unexpectedly and were replaced',
    registers: [own],
    collect() {
      this.reset()
      this.inc(state().restarts)
    },
  })
  const latest = new Map<Channel, Snapshot>()
  let ended: Snapshot = []

  const sum = async (snapshots: Snapshot[]): Promise<Registry> =>
    AggregatorRegistry.aggregate(snapshots as unknown as object[])

  const look = async (channel: Channel) => {
    const asked = channel.ask<Snapshot>('metrics').catch(() => undefined)
    const answer = await pTimeout(asked, { milliseconds: ANSWER_MS, message: false })
    if (answer && latest.has(channel)) latest.set(channel, answer)
  }

  const render = async (): Promise<string> => {
    await Promise.all([...latest.keys()].map(look))
    const mine = (await own.getMetricsAsJSON()) as Snapshot
    return (await sum([...latest.values(), ended, mine])).metrics()
  }

  return {
    contentType: own.contentType,
    render,
    serve(channel: Channel): void {
      latest.set(channel, [])
      channel.on('metrics of all', render)
      channel.on<Snapshot>('last metrics', (snapshot) => {
        latest.set(channel, snapshot)
        return null
      })
    },
    /**
     * Adds the counters of an exited process to the total, so that the sums over all processes never
     * decrease.
     */
    async leave(channel: Channel): Promise<void> {
      const last = (latest.get(channel) ?? []).filter(isCounted)
      latest.delete(channel)
      if (last.length === 0) return
      ended = (await (await sum([ended, last])).getMetricsAsJSON()) as Snapshot
    },
  }
}
