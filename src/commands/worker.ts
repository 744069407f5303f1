import { closeInOrder } from '#platform/closing.ts'
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { openContext } from '#platform/open-context.ts'
import { startFault } from '#platform/start-fault.ts'
import { prepareDatabase } from '../prepare.ts'
import { startWorker } from '../worker.ts'
import type { Environment } from './context.ts'

/** `kith worker`: runs jobs until a signal ends it. */
export async function work(env: Environment): Promise<number> {
  const config = readConfig(env)
  const log = createLog({ level: config.logLevel })
  const opened = await openContext(config, log, { mayJoin: true }).catch((error) => {
    throw startFault(error, config.dataDir)
  })
  const { ctx, connection } = opened
  try {
    await prepareDatabase(opened.forJobs, connection)
    await ctx.signals.listen()
    const worker = await startWorker(opened.forJobs, connection)
    log.info('the worker runs')
    const signal = await new Promise<string>((resolve) => {
      process.once('SIGTERM', () => resolve('SIGTERM'))
      process.once('SIGINT', () => resolve('SIGINT'))
    })
    log.info({ signal }, 'draining')
    await closeInOrder([{ name: 'worker', withinMs: 8_000, close: worker.stop }], log)
  } finally {
    await opened.close()
  }
  log.info('stopped')
  return 0
}
