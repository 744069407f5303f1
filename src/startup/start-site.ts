import type { AddressInfo } from 'node:net'
import { Gauge } from 'prom-client'
import { buildApp } from '#app'
import { divideHashing, ensureFounder } from '#modules/accounts/index.ts'
import { recordTraffic } from '#modules/statistics/index.ts'
import { measureSkews, skewFault } from '#platform/clocks.ts'
import type { Config } from '#platform/config'
import type { Context } from '#platform/context.ts'
import { epochOf, settleEpoch } from '#platform/epoch.ts'
import { type Server, serveMetrics } from '#platform/http'
import { runOnLease } from '#platform/jobs'
import { announceNode } from '#platform/nodes.ts'
import { type Log, watchLoop } from '#platform/observability'
import { type Channel, type StartParameters, supervisorChannel } from '#platform/processes'
import { exportSiteMetrics } from '../site-metrics.ts'
import { startWorker } from '../worker.ts'
import { banner } from './banner.ts'
import { type Closer, RESTART } from './closing.ts'
import type { DatabaseServer } from './database-server.ts'
import { type OpenedContext, openContext } from './open-context.ts'
import { prepareStart } from './prepare.ts'
import { reportStartError } from './start-checks.ts'

/** Parameters of a serving process and its opened database. */
export type Begin = StartParameters & DatabaseServer

/**
 * Short timeouts for connections and locks, so that an overloaded server rejects requests early and clients
 * can retry.
 */
const BOUNDS = { patienceMs: 1000, maxWaiting: 1000, lockTimeoutMs: 3000 }

export type Start = {
  config: Config
  log: Log
  begin: Begin
  /** Receives each opened part, in the order in which `shutDown` closes the parts. */
  closers: Closer[]
  shutDown: (signal: string, code?: number) => Promise<void>
  isClosing: () => boolean
}

/** Migrates the database in the first process, and listens for requests. */
export async function startSite({ config, log, begin, closers, shutDown, isClosing }: Start): Promise<void> {
  divideHashing(supervisorChannel ? config.processes : 1)
  const opened = await openContext(config, log, { bounds: BOUNDS, server: begin })
  const { ctx } = opened
  ctx.restart = () => (supervisorChannel ? supervisorChannel.tell('restart') : void shutDown(RESTART))
  ctx.metrics.defaultProcessMetrics()
  const loop = watchLoop(ctx.metrics, log)
  ctx.onClose.push(async () => loop.close())
  // The metrics of the site are equal in every process, so only the first process exports them.
  if (begin.slot === 1) exportSiteMetrics(ctx)
  if (supervisorChannel) shareMetrics(ctx, supervisorChannel, begin.slot)
  closers.push({ name: 'context', withinMs: 120_000, close: opened.close })
  try {
    const preparing = begin.isFirst ? prepareSite(opened) : undefined
    // The routes need no database, so this process builds them while PostgreSQL migrates.
    const [founder, server] = await Promise.all([preparing, buildReadyApp(ctx)])
    recordTraffic(ctx)
    await ctx.signals.listen()
    watchEpoch(ctx)
    if (begin.slot === 1)
      void announceNode(opened.forJobs, { processes: supervisorChannel ? config.processes : 1 })
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
        startWorker(opened.forJobs, opened.connection),
      )
      closers.splice(-1, 0, { name: 'worker', withinMs: 8_000, close: worker.stop })
    }
    supervisorChannel?.tell('listening')
    if (begin.isFirst) process.stdout.write(banner(ctx, founder))
  } catch (error) {
    // A signal that arrives during a migration breaks its connection.
    if (!isClosing()) reportStartError(error, config, log)
    await shutDown('failure', 1)
  }
}

async function prepareSite({ ctx, forJobs, connection }: OpenedContext) {
  const applied = await prepareStart(forJobs, connection)
  if (applied.length > 0) ctx.log.info({ migrations: applied }, 'migrated')
  const epoch = await settleEpoch(forJobs.sql)
  if (epoch !== undefined) ctx.log.warn({ epoch }, 'the data moved: a new epoch of the site began')
  const fault = skewFault(await measureSkews(ctx))
  if (fault !== null) ctx.log.warn(fault)
  return ensureFounder(ctx)
}

const EPOCH_MS = 30_000

/** Records changes of synchronous replication, and notices an epoch whose signal was lost. */
function watchEpoch(ctx: Context): void {
  const { look } = epochOf(ctx)
  const timer = setInterval(() => void look().catch(() => {}), EPOCH_MS)
  timer.unref()
  ctx.onClose.push(async () => clearInterval(timer))
}

async function buildReadyApp(ctx: Context): Promise<Server> {
  const server = await buildApp(ctx)
  await server.ready()
  return server
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
