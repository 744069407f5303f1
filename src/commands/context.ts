import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { type Opened, openContext } from '#platform/open-context.ts'
import { startFault } from '#platform/start-fault.ts'

/** The environment of a command, which becomes the configuration. */
export type Environment = Record<string, string | undefined>

/** Does `work` on the database of this installation, beside the server where one runs. Logs go to stderr. */
export async function withContext<T>(
  env: Environment,
  work: (opened: Opened) => Promise<T>,
  /** False where a machine that loses power may lose the last of it too. */
  { isDurable = true }: { isDurable?: boolean } = {},
): Promise<T> {
  const config = readConfig(env)
  const level = env.LOG_LEVEL ? config.logLevel : 'warn'
  const log = createLog({ level, destination: process.stderr })
  const opened = await openContext(config, log, { mayJoin: true, isDurable }).catch((error) => {
    throw startFault(error, config.dataDir)
  })
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
