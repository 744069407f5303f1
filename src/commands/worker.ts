import { readConfig } from '#platform/config'
import { serveMetrics } from '#platform/http'
import { announceNode } from '#platform/nodes.ts'
import { createLog, watchLoop } from '#platform/observability'
import { type Closer, closeInOrder } from '#startup/closing.ts'
import { openContext } from '#startup/open-context.ts'
import { prepareStart } from '#startup/prepare.ts'
import { listenFault } from '#startup/start-checks.ts'
import { exportSiteMetrics } from '../site-metrics.ts'
import { startWorker } from '../worker.ts'
import type { Environment } from './context.ts'

export async function work(env: Environment): Promise<number> {
  const config = readConfig(env)
  const log = createLog({ level: config.logLevel })
  const opened = await openContext(config, log, { mayJoin: true })
  const { ctx, connection } = opened
  try {
    await prepareStart(opened.forJobs, connection)
    await ctx.signals.listen()
    void announceNode(opened.forJobs, { processes: 1 })
    const worker = await startWorker(opened.forJobs, connection)
    const closers: Closer[] = [{ name: 'worker', withinMs: 8_000, close: worker.stop }]
    ctx.metrics.defaultProcessMetrics()
    const loop = watchLoop(ctx.metrics, log)
    ctx.onClose.push(async () => loop.close())
    exportSiteMetrics(ctx)
    if (config.metricsPort > 0) {
      // Continues without metrics when the port is in use, because a server on this machine may already
      // export the site's metrics.
      const metrics = await serveMetrics(ctx.metrics, config).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw listenFault(error, config)
        log.warn({ port: config.metricsPort }, 'METRICS_PORT is in use: this worker serves no metrics')
      })
      if (metrics) closers.push({ name: 'metrics', withinMs: 1_000, close: metrics.close })
    }
    log.info('worker started')
    const signal = await new Promise<string>((resolve) => {
      process.once('SIGTERM', () => resolve('SIGTERM'))
      process.once('SIGINT', () => resolve('SIGINT'))
    })
    log.info({ signal }, 'draining')
    await closeInOrder(closers, log)
  } finally {
    await opened.close()
  }
  log.info('stopped')
  return 0
}
