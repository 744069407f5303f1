import type { Config } from '#platform/config'
import { bufferedOutput, createLog, type Log } from '#platform/observability'
import { supervisorChannel } from '#platform/processes'
import { type Closer, createShutDown } from './closing.ts'
import { openDatabaseServer } from './database-server.ts'
import { checkAddresses } from './start-checks.ts'
import type { Begin } from './start-site.ts'

async function openAlone(config: Config, log: Log, onWait: () => void): Promise<Begin> {
  await checkAddresses(config)
  return { slot: 1, isFirst: true, ...(await openDatabaseServer(config, log, { onWait })) }
}

/**
 * Serves requests in this process, alone or as a child of `supervise`. Loads the modules of the site while the
 * database starts. Therefore this file must not import them statically.
 */
export async function serve(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, destination: bufferedOutput() })
  const closers: Closer[] = []
  const { shutDown, isClosing } = createShutDown(closers, log)
  if (supervisorChannel) {
    supervisorChannel.on('stop', () => void shutDown('stop'))
    // Ignores signals of a terminal, because every process of the group receives them. The supervisor decides
    // whether to stop this process.
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
    process.on('SIGTERM', () => void shutDown('SIGTERM'))
  } else
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => void shutDown(signal))
  const waiting = Promise.withResolvers<void>()
  const opening = supervisorChannel
    ? supervisorChannel.ask<Begin>('begin')
    : openAlone(config, log, waiting.resolve)
  // Loading blocks this process, so `initdb` has to be running first.
  if (!supervisorChannel) await Promise.race([waiting.promise, opening])
  const [begin, { startSite }] = await Promise.all([opening, import('./start-site.ts')])
  await startSite({ config, log, begin, closers, shutDown, isClosing })
}
