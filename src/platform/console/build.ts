import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/log.ts'
import { hasSources } from './folder.ts'
import type { Progress } from './progress.ts'

const BUILDER = fileURLToPath(new URL('../../../scripts/build-console.ts', import.meta.url))

/**
 * Builds the console in a process of its own where its sources are newer than what is built. That process ends when this
 * one does, however it ends: the channel between them closes.
 */
export function buildConsole(config: Config, log: Log): { stop(): void } {
  if (!config.console || !hasSources()) return { stop() {} }
  const child = fork(BUILDER, [config.dataDir], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  })
  child.on('message', (progress: Progress | { phase: 'built'; seconds: number }) => {
    if (progress.phase === 'built') log.info({ seconds: progress.seconds }, 'the console is built')
    if (progress.phase === 'failed')
      log.warn(
        { reason: progress.reason },
        'the console is not there: its build failed; CONSOLE=off turns it off',
      )
  })
  child.on('error', (error) => log.warn({ err: error }, 'the console cannot be built'))
  // Nothing waits for it, least of all the end of this process.
  child.unref()
  child.channel?.unref()
  return { stop: () => void child.kill() }
}
