import type { AddressInfo } from 'node:net'
import { Gauge } from 'prom-client'
import { type Closer, closeInOrder } from '#platform/closing.ts'
import type { Config } from '#platform/config.ts'
import type { Context } from '#platform/context.ts'
import type { DatabaseServer } from '#platform/database-server.ts'
import { serveMetrics } from '#platform/http'
import { runOnLease } from '#platform/jobs'
import { bufferedOutput, createLog } from '#platform/observability'
import { openContext } from '#platform/open-context.ts'
import { divideHashing } from '#platform/passwords.ts'
import { type Channel, type StartParameters, supervisorChannel } from '#platform/processes'
import { checkAddresses, listenFault } from '#platform/start-checks.ts'
import { StartFault, startFault } from '#platform/start-fault.ts'

/**
 * Short timeouts for connections and locks, so that an overloaded server rejects requests early and clients
 * can retry.
 */
const BOUNDS = { patienceMs: 1000, maxWaiting: 1000, lockTimeoutMs: 3000 }

const ALONE: StartParameters & { connection?: never } = { slot: 1, isFirst: true }

export async function serve(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  if (!supervisorChannel) await checkAddresses(config)
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
  if (supervisorChannel) {
    supervisorChannel.on('stop', () => void shutDown('stop'))
    // Ignores signals of a terminal, because every process of the group receives them. The supervisor decides
    // whether to stop this process.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    process.on('SIGTERM', () => void shutDown('SIGTERM'))
  } else
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => void shutDown(signal))
  divideHashing(supervisorChannel ? config.processes : 1)
  const begin = supervisorChannel
    ? await supervisorChannel.ask<StartParameters & DatabaseServer>('begin')
    : ALONE
  const [opened, modules] = await Promise.all([
    openContext(config, log, {
      bounds: BOUNDS,
      ...(begin.connection ? { server: { connection: begin.connection } } : {}),
    }).catch((error) => {
      throw startFault(error, config.dataDir)
    }),
    // The database starts in its own processes, which takes about as long as this import.
    import('./site-modules.ts'),
  ])
  const { ctx } = opened
  ctx.metrics.defaultProcessMetrics()
  // The metrics of the site are equal in every process, so only the first process exports them.
  if (begin.slot === 1) modules.exportSiteMetrics(ctx)
  if (supervisorChannel) shareMetrics(ctx, supervisorChannel, begin.slot)
  closers.push({ name: 'context', withinMs: 120_000, close: opened.close })
  try {
    const applied = begin.isFirst ? await modules.prepareStart(opened.forJobs, opened.connection) : []
    if (applied.length > 0) log.info({ migrations: applied }, 'migrated')
    const founder = begin.isFirst ? await modules.ensureFounder(ctx) : undefined
    const server = await modules.buildApp(ctx)
    modules.recordTraffic(ctx)
    await ctx.signals.listen()
    // Sets a long backlog. With a short one, the kernel would delay new connections by seconds when the queue
    // is full, without a log entry.
    await server.listen({ host: config.host, port: config.port, backlog: 4096 })
    closers.unshift({
      name: 'server',
      withinMs: 12_000 + config.drainNoticeMs,
      close: () => server.close(),
    })
    const { port } = server.server.address() as AddressInfo
    if (config.publicUrlIsDerived && config.port === 0)
      config.publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
    log.info(
      { address: config.publicUrl, ...(supervisorChannel ? { process: begin.slot } : {}) },
      'listening',
    )
    if (config.metricsPort > 0 && !supervisorChannel) {
      const metrics = await serveMetrics(ctx.metrics, config)
      closers.unshift({ name: 'metrics', withinMs: 1_000, close: metrics.close })
    }
    if (config.worker === 'inside' && begin.slot === 1) {
      const worker = await runOnLease(opened.forJobs.sql, log, () =>
        modules.startWorker(opened.forJobs, opened.connection),
      )
      closers.splice(-1, 0, { name: 'worker', withinMs: 8_000, close: worker.stop })
    }
    supervisorChannel?.tell('listening')
    if (begin.isFirst) process.stdout.write(modules.banner(ctx, founder))
  } catch (error) {
    const fault = startFault(listenFault(error, config), config.dataDir)
    if (fault instanceof StartFault) process.stderr.write(`${fault.message}\n`)
    else log.fatal({ err: error }, 'startup failed')
    await shutDown('failure', 1)
  }
}

function shareMetrics({ metrics, onClose }: Context, supervisor: Channel, slot: number): void {
  const read = () => metrics.registry.getMetricsAsJSON()
  new Gauge({
    name: 'server_process_memory_bytes',
    help: 'Resident memory of each serving process',
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
