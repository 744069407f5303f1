import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config'
import { serveMetrics } from '#platform/http'
import { bufferedOutput, createLog } from '#platform/observability'
import { countForProcesses, createProcessPool, gatherMetrics } from '#platform/processes'
import { type Closer, createShutDown, RESTART } from './closing.ts'
import { type DatabaseServer, openDatabaseServer } from './database-server.ts'
import { checkAddresses, reportStartError } from './start-checks.ts'

export async function supervise(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  await checkAddresses(config)
  const countUses = countForProcesses()
  const metrics = gatherMetrics(() => crew.state())
  // Lets the first process load its code while the database starts.
  const opening = Promise.withResolvers<Omit<DatabaseServer, 'stop'>>()
  const crew = createProcessPool({
    size: config.processes,
    drainNoticeMs: config.drainNoticeMs,
    program: fileURLToPath(new URL('../main.ts', import.meta.url)),
    log,
    opening: opening.promise,
    onJoin(channel) {
      countUses(channel)
      metrics.serve(channel)
      channel.on('restart', () => void shutDown(RESTART))
    },
    onLeave(channel) {
      metrics.leave(channel).catch((error) => log.warn({ err: error }, 'collecting metrics failed'))
    },
  })
  const closers: Closer[] = [{ name: 'processes', withinMs: 60_000 + config.drainNoticeMs, close: crew.stop }]
  const { shutDown, isClosing } = createShutDown(closers, log)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => void shutDown(signal))

  const started = crew.start()
  try {
    const { stop, ...addresses } = await openDatabaseServer(config, log)
    closers.push({ name: 'database', withinMs: 90_000, close: async () => stop?.() })
    opening.resolve(addresses)
  } catch (error) {
    await crew.stop()
    throw error
  }
  // The process that failed to start has already logged the reason.
  if (!(await started)) return shutDown('failure', 1)
  if (config.metricsPort === 0 || isClosing()) return
  try {
    const { close } = await serveMetrics(metrics, config)
    closers.unshift({ name: 'metrics', withinMs: 1_000, close })
  } catch (error) {
    reportStartError(error, config, log)
    await shutDown('failure', 1)
  }
}
