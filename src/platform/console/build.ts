import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/log.ts'
import { hasSources } from './folder.ts'
import { FAULTS, noteProgress, type Progress } from './progress.ts'

const BUILDER = fileURLToPath(new URL('../../../scripts/build-console.ts', import.meta.url))

/** A network or a disk that failed may be mended soon: tried again after so long, then twice as long, up to an hour. */
const RETRY_MS = 2 * 60_000
const RETRY_MOST_MS = 60 * 60_000

/**
 * Builds the console in a process of its own where its sources are newer than what is built, and again some time after
 * it failed. That process ends when this one does, however it ends: the channel between them closes.
 */
export function buildConsole(
  config: Config,
  log: Log,
  { builder = BUILDER, retryMs = RETRY_MS }: { builder?: string; retryMs?: number } = {},
): { stop(): void } {
  if (!config.console || !hasSources()) return { stop() {} }
  let child: ChildProcess
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let wait = retryMs

  const begin = () => {
    let isOver = false
    const fail = (progress: Progress) => {
      if (isOver || isStopped) return
      isOver = true
      // On a full disk nobody but this process hears of it.
      noteProgress(config.dataDir, progress)
      log.warn(
        { reason: progress.reason, againInSeconds: Math.round(wait / 1000) },
        'the console is not there: its build failed and is tried again; CONSOLE=off turns it off',
      )
      timer = setTimeout(begin, wait).unref()
      wait = Math.min(wait * 2, RETRY_MOST_MS)
    }
    child = fork(builder, [config.dataDir], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
    child.on('message', (progress: Progress | { phase: 'built'; seconds: number }) => {
      if (progress.phase === 'built') log.info({ seconds: progress.seconds }, 'the console is built')
      else if (progress.phase === 'failed') fail(progress)
      else noteProgress(config.dataDir, progress)
    })
    const failedBy = (what: unknown) =>
      fail({ phase: 'failed', reason: `${FAULTS.ended.en} / ${FAULTS.ended.zh}: ${what}` })
    child.on('error', ({ message }) => failedBy(message))
    // Killed, for want of memory perhaps, before it could say a word.
    child.on('exit', (code, signal) => {
      if (code !== 0) failedBy(signal ?? code)
    })
    // Nothing waits for it, least of all the end of this process.
    child.unref()
    child.channel?.unref()
  }
  begin()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      child.kill()
    },
  }
}
