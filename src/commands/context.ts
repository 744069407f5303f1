import { readConfig } from '#platform/config'
import { createLog } from '#platform/observability'
import { type OpenedContext, openContext } from '#startup/open-context.ts'

export type Environment = Record<string, string | undefined>

/** Opens the installation's database, even next to a running server, and runs `work`. Logs to stderr. */
export async function withContext<T>(
  env: Environment,
  work: (opened: OpenedContext) => Promise<T>,
  /** If false, commits do not wait for the disk, and a power failure can undo the last commits. */
  { isDurable = true, mayBeUnfinished = false }: { isDurable?: boolean; mayBeUnfinished?: boolean } = {},
): Promise<T> {
  const config = readConfig(env)
  const level = env.LOG_LEVEL ? config.logLevel : 'warn'
  const log = createLog({ level, destination: process.stderr })
  const opened = await openContext(config, log, { mayJoin: true, isDurable, mayBeUnfinished })
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
