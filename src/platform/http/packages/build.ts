import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Config } from '#platform/config.ts'
import type { Log } from '#platform/observability'
import { hasSources, PACKAGES, type PackageName } from './folder.ts'
import { FAULTS, type Progress, recordProgress } from './progress.ts'

const BUILDER = fileURLToPath(new URL('../../../../scripts/build-packages.ts', import.meta.url))

/** First retry delay after a failed build, doubled up to an hour. */
const RETRY_MS = 2 * 60_000
const RETRY_MOST_MS = 60 * 60_000

const OFF: Record<PackageName, string> = { web: 'WEB=off', console: 'CONSOLE=off' }

type Options = { builder?: string; retryMs?: number }

/** Builds the site and the console in the background, each when its sources are newer than its build. */
export function buildPackages(config: Config, log: Log, options: Options = {}): { stop(): void } {
  const builds = PACKAGES.filter((name) => config[name] && hasSources(name)).map((name) =>
    buildPackage(name, config, log, options),
  )
  return {
    stop() {
      for (const build of builds) build.stop()
    },
  }
}

/**
 * Builds a package in a child process when its sources are newer than the build, and retries after a
 * failure. The child exits with this process, because the channel between them closes.
 */
function buildPackage(
  name: PackageName,
  config: Config,
  log: Log,
  { builder = BUILDER, retryMs = RETRY_MS }: Options,
): { stop(): void } {
  let child: ChildProcess
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let wait = retryMs

  const begin = () => {
    let isOver = false
    const fail = (progress: Progress) => {
      if (isOver || isStopped) return
      isOver = true
      // On a full disk only this process knows the progress.
      recordProgress(config.dataDir, name, progress)
      log.warn(
        { reason: progress.reason, againInSeconds: Math.round(wait / 1000) },
        `${name} is not there: its build failed and is tried again; ${OFF[name]} turns it off`,
      )
      timer = setTimeout(begin, wait).unref()
      wait = Math.min(wait * 2, RETRY_MOST_MS)
    }
    child = fork(builder, [name, config.dataDir], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
    })
    child.on('message', (progress: Progress | { phase: 'built'; seconds: number }) => {
      if (progress.phase === 'built') log.info({ seconds: progress.seconds }, `${name} is built`)
      else if (progress.phase === 'failed') fail(progress)
      else recordProgress(config.dataDir, name, progress)
    })
    const failedBy = (what: unknown) =>
      fail({ phase: 'failed', reason: `${FAULTS.ended.en} / ${FAULTS.ended.zh}: ${what}` })
    child.on('error', ({ message }) => failedBy(message))
    // The child was killed, perhaps for lack of memory.
    child.on('exit', (code, signal) => {
      if (code !== 0) failedBy(signal ?? code)
    })
    // The child must not delay the exit of this process.
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
