import type { AddressInfo } from 'node:net'
import { buildApp } from '#app'
import { ensureFounder } from '#modules/accounts/index.ts'
import { type Closer, closeInOrder } from '#platform/closing.ts'
import { readConfig } from '#platform/config.ts'
import { buildConsole } from '#platform/console/build.ts'
import { serveMetrics } from '#platform/health.ts'
import { bufferedOutput, createLog } from '#platform/log.ts'
import { openContext } from '#platform/open-context.ts'
import { checkAddresses, listenFault } from '#platform/start-checks.ts'
import { StartFault, startFault } from '#platform/start-fault.ts'
import { banner } from './banner.ts'
import { prepareDatabase } from './prepare.ts'
import { startWorker } from './worker.ts'

/** A request waits a second for a connection and three for a row; in time it hears that it should come back. */
const BOUNDS = { patienceMs: 1000, maxWaiting: 1000, lockTimeoutMs: 3000 }

/** Runs the server in this process until it is told to stop. Throws what keeps it from starting. */
export async function serve(env: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(env)
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  await checkAddresses(config)
  const opened = await openContext(config, log, { bounds: BOUNDS }).catch((error) => {
    throw startFault(error, config.dataDir)
  })
  const { ctx } = opened
  ctx.metrics.defaultProcessMetrics()
  let closing = false
  const closers: Closer[] = [{ name: 'context', withinMs: 120_000, close: opened.close }]
  const shutDown = async (signal: string, code = 0) => {
    if (closing) return
    closing = true
    log.info({ signal }, 'draining')
    await closeInOrder(closers, log)
    log.info('stopped')
    process.exit(code)
  }
  process.on('SIGTERM', () => void shutDown('SIGTERM'))
  process.on('SIGINT', () => void shutDown('SIGINT'))
  try {
    const applied = await prepareDatabase(ctx, opened.connection)
    if (applied.length > 0) log.info({ migrations: applied }, 'migrated')
    const founder = await ensureFounder(ctx)
    const server = await buildApp(ctx)
    await ctx.signals.listen()
    // A connection that finds no place in the queue of the system tries again after seconds, unseen by anybody.
    await server.listen({ host: config.host, port: config.port, backlog: 4096 })
    closers.unshift({ name: 'server', withinMs: 12_000, close: () => server.close() })
    const { port } = server.server.address() as AddressInfo
    if (config.publicUrlIsDerived && config.port === 0)
      config.publicUrl = config.publicUrl.replace(/:0$/, `:${port}`)
    log.info({ address: config.publicUrl }, 'listening')
    if (config.metricsPort > 0) {
      const metrics = await serveMetrics(ctx, config.metricsPort)
      closers.unshift({ name: 'metrics', withinMs: 1_000, close: metrics.close })
    }
    if (config.worker === 'inside') {
      const worker = await startWorker(opened.forJobs, opened.connection)
      closers.splice(-1, 0, { name: 'worker', withinMs: 8_000, close: worker.stop })
    }
    const building = buildConsole(config, log)
    closers.unshift({ name: 'console', withinMs: 1_000, close: building.stop })
    process.stdout.write(banner(ctx, founder))
  } catch (error) {
    const fault = startFault(listenFault(error, config), config.dataDir)
    if (fault instanceof StartFault) process.stderr.write(`${fault.message}\n`)
    else log.fatal({ err: error }, 'could not start')
    await shutDown('failure', 1)
  }
}
