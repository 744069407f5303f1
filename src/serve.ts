import type { AddressInfo } from 'node:net'
import { Gauge } from 'prom-client'
import { buildApp } from '#app'
import { ensureFounder } from '#modules/accounts/index.ts'
import { keepTraffic } from '#modules/statistics/index.ts'
import { type Closer, closeInOrder } from '#platform/closing.ts'
import type { Config } from '#platform/config.ts'
import { buildConsole } from '#platform/console/build.ts'
import type { Context } from '#platform/context.ts'
import type { DatabaseServer } from '#platform/database-server.ts'
import { serveMetrics } from '#platform/health.ts'
import { bufferedOutput, createLog } from '#platform/log.ts'
import { openContext } from '#platform/open-context.ts'
import type { Channel } from '#platform/processes/channel.ts'
import type { Begin } from '#platform/processes/crew.ts'
import { parent } from '#platform/processes/parent.ts'
import { checkAddresses, listenFault } from '#platform/start-checks.ts'
import { StartFault, startFault } from '#platform/start-fault.ts'
import { banner } from './banner.ts'
import { prepareDatabase } from './prepare.ts'
import { gaugeSite } from './site-metrics.ts'
import { startWorker } from './worker.ts'

/** A request waits a second for a connection and three for a row; in time it hears that it should come back. */
const BOUNDS = { patienceMs: 1000, maxWaiting: 1000, lockTimeoutMs: 3000 }

/** A process that serves alone. */
const ALONE: Begin & { connection?: never } = { slot: 1, prepares: true, isFirst: true }

/** Runs the server in this process until it is told to stop. Throws what keeps it from starting. */
export async function serve(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  if (!parent) await checkAddresses(config)
  let closing = false
  const closers: Closer[] = []
  const shutDown = async (signal: string, code = 0) => {
    if (closing) return
    closing = true
    log.info({ signal }, 'draining')
    await closeInOrder(closers, log)
    log.info('stopped')
    process.exit(code)
  }
  let retire = () => shutDown('retire')
  if (parent) {
    parent.on('stop', () => void shutDown('stop'))
    parent.on('retire', () => void retire())
    // A terminal, or a service manager, sends these to all processes: the supervisor tells what follows from them.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    process.on('SIGTERM', () => void retire())
  } else {
    process.on('SIGTERM', () => void shutDown('SIGTERM'))
    process.on('SIGINT', () => void shutDown('SIGINT'))
    process.on('SIGHUP', () => {
      if (process.stdout.isTTY) void shutDown('SIGHUP')
      else log.warn('one process cannot be replaced without an interruption: stop it and start it again')
    })
  }
  const begin = parent ? await parent.ask<Begin & DatabaseServer>('begin') : ALONE
  const opened = await openContext(config, log, {
    bounds: BOUNDS,
    ...(begin.connection ? { server: { connection: begin.connection } } : {}),
  }).catch((error) => {
    throw startFault(error, config.dataDir)
  })
  const { ctx } = opened
  ctx.metrics.defaultProcessMetrics()
  // The site is the same seen from each process: one of them tells of it.
  if (begin.slot === 1) gaugeSite(ctx)
  if (parent) shareMetrics(ctx, parent, begin.slot)
  closers.push({ name: 'context', withinMs: 120_000, close: opened.close })
  try {
    const applied = begin.prepares ? await prepareDatabase(opened.forJobs, opened.connection) : []
    if (applied.length > 0) log.info({ migrations: applied }, 'migrated')
    const founder = begin.isFirst ? await ensureFounder(ctx) : undefined
    const server = await buildApp(ctx)
    keepTraffic(ctx)
    await ctx.signals.listen()
    // A connection that finds no place in the queue of the system tries again after seconds, unseen by anybody.
    await server.listen({ host: config.host, port: config.port, backlog: 4096 })
    const stop: Closer = { name: 'server', withinMs: 12_000, close: () => server.close() }
    closers.unshift(stop)
    retire = () => {
      stop.close = () => server.retire()
      return shutDown('retire')
    }
    const { port } = server.server.address() as AddressInfo
    if (config.publicUrlIsDerived && config.port === 0)
      config.publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
    log.info({ address: config.publicUrl, ...(parent ? { process: begin.slot } : {}) }, 'listening')
    if (config.metricsPort > 0 && !parent) {
      const metrics = await serveMetrics(ctx.metrics, config.metricsPort)
      closers.unshift({ name: 'metrics', withinMs: 1_000, close: metrics.close })
    }
    // One process of a machine runs the jobs.
    if (config.worker === 'inside' && begin.slot === 1) {
      const worker = await startWorker(opened.forJobs, opened.connection)
      closers.splice(-1, 0, { name: 'worker', withinMs: 8_000, close: worker.stop })
    }
    if (begin.prepares) {
      const building = buildConsole(config, log)
      closers.unshift({ name: 'console', withinMs: 1_000, close: building.stop })
    }
    parent?.tell('listening')
    if (begin.isFirst) process.stdout.write(banner(ctx, founder))
  } catch (error) {
    const fault = startFault(listenFault(error, config), config.dataDir)
    if (fault instanceof StartFault) process.stderr.write(`${fault.message}\n`)
    else log.fatal({ err: error }, 'could not start')
    await shutDown('failure', 1)
  }
}

/** Gives the supervisor the metrics of this process, and serves those of all. */
function shareMetrics({ metrics, onClose }: Context, supervisor: Channel, slot: number): void {
  const read = () => metrics.registry.getMetricsAsJSON()
  new Gauge({
    name: 'server_process_memory_bytes',
    help: 'Resident memory of each process that serves',
    labelNames: ['process'],
    registers: [metrics.registry],
    collect() {
      this.set({ process: slot }, process.memoryUsage.rss())
    },
  })
  supervisor.on('metrics', read)
  metrics.render = () => supervisor.ask<string>('metrics of all')
  onClose.push(async () => {
    await supervisor.ask('last metrics', await read())
  })
}
