import { fileURLToPath } from 'node:url'
import { type Closer, closeInOrder } from '#platform/closing.ts'
import type { Config } from '#platform/config.ts'
import { type DatabaseServer, openDatabaseServer } from '#platform/database-server.ts'
import { serveMetrics } from '#platform/health.ts'
import { bufferedOutput, createLog } from '#platform/log.ts'
import { gatherMetrics } from '#platform/processes/all-metrics.ts'
import { keepAllowances } from '#platform/processes/allowances.ts'
import { createCrew } from '#platform/processes/crew.ts'
import { keepPlaces } from '#platform/processes/places.ts'
import { spreadToSiblings } from '#platform/processes/siblings.ts'
import { checkAddresses, listenFault } from '#platform/start-checks.ts'
import { StartFault, startFault } from '#platform/start-fault.ts'

/** Runs the server in several processes until it is told to stop. Serves nothing itself. */
export async function supervise(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  await checkAddresses(config)
  const allowances = keepAllowances({ processes: config.processes })
  const places = keepPlaces()
  const metrics = gatherMetrics(() => crew.state())
  // The first process reads the program while the database starts.
  const opening = Promise.withResolvers<{ connection: DatabaseServer['connection'] }>()
  const crew = createCrew({
    size: config.processes,
    program: fileURLToPath(new URL('./main.ts', import.meta.url)),
    log,
    opening: opening.promise,
    onJoin(channel) {
      allowances.serve(channel)
      places.serve(channel)
      spreadToSiblings(channel, crew.serving)
      metrics.serve(channel)
    },
    onLeave(channel) {
      allowances.leave(channel)
      places.leave(channel)
      metrics.leave(channel).catch((error) => log.warn({ err: error }, 'metrics'))
    },
  })
  const closers: Closer[] = [{ name: 'processes', withinMs: 60_000, close: crew.stop }]
  let closing: Promise<void> | undefined
  const shutDown = (signal: string, code = 0) => {
    closing ??= (async () => {
      log.info({ signal }, 'draining')
      await closeInOrder(closers, log)
      log.info('stopped')
      process.exit(code)
    })()
    return closing
  }
  process.on('SIGTERM', () => void shutDown('SIGTERM'))
  process.on('SIGINT', () => void shutDown('SIGINT'))
  // A terminal that is closed sends the same signal.
  process.on('SIGHUP', () => (process.stdout.isTTY ? void shutDown('SIGHUP') : crew.reload()))

  const started = crew.start()
  try {
    const database = await openDatabaseServer(config, log)
    closers.push({ name: 'database', withinMs: 90_000, close: async () => database.stop?.() })
    opening.resolve({ connection: database.connection })
  } catch (error) {
    await crew.stop()
    throw startFault(error, config.dataDir)
  }
  // It has said why.
  if (!(await started)) return shutDown('failure', 1)
  if (config.metricsPort === 0 || closing) return
  try {
    const { close } = await serveMetrics(metrics, config.metricsPort)
    closers.unshift({ name: 'metrics', withinMs: 1_000, close })
  } catch (error) {
    const fault = listenFault(error, config)
    if (fault instanceof StartFault) process.stderr.write(`${fault.message}\n`)
    else log.fatal({ err: error }, 'could not start')
    await shutDown('failure', 1)
  }
}
