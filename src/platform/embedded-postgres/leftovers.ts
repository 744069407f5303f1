import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '#lib/faults.ts'
import { findDatabaseProcesses, isKnown } from './processes.ts'

type Log = (level: 'info' | 'warn' | 'error', message: string, extra?: Record<string, unknown>) => void

/** Whose cluster it is by postmaster.pid, since when (in seconds), where it listens, and how far it has come. */
export type PidFile = { pid: number; start: string; port: number; socketFolder: string; status: string }

/** Reads postmaster.pid; null without the file. */
export async function readPidFile(cluster: string): Promise<PidFile | null> {
  const content = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => null)
  if (content === null) return null
  const lines = content.split('\n')
  return {
    pid: Number.parseInt(lines[0] ?? '', 10),
    start: lines[2] ?? '',
    port: Number.parseInt(lines[3] ?? '', 10),
    socketFolder: (lines[4] ?? '').trim(),
    status: (lines[7] ?? '').trim(),
  }
}

/**
 * Ends what a killed server left running on the cluster, so that there are never two on one data directory.
 * The watchdog of that server is normally about to do it; signals follow only where it does not.
 */
export async function clearLeftovers(cluster: string, log: Log): Promise<void> {
  const pid = (await readPidFile(cluster))?.pid
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 3_000],
    ['SIGQUIT', 30_000],
    ['SIGKILL', 10_000],
  ]
  if (await areGone(cluster, 0)) return removeForeignPidFile(cluster, log)
  log('warn', 'a database of an earlier run is still up, waiting for its end', { pid })
  for (const [signal, patience] of steps) {
    if (await areGone(cluster, patience)) return removeForeignPidFile(cluster, log)
    const processes = findDatabaseProcesses(cluster)
    // Signals other than to the postmaster are for children that it left behind.
    const targets = pid !== undefined && processes.includes(pid) ? [pid] : processes
    log('warn', 'stopping the database of an earlier run', { signal, targets })
    for (const pid of targets) signalProcess(pid, signal)
  }
  if (await areGone(cluster, 10_000)) return removeForeignPidFile(cluster, log)
  throw new Error(
    `Processes of an earlier run still use the database in ${cluster} and do not end: ` +
      `${findDatabaseProcesses(cluster).join(', ')}. End them by hand and start again.`,
  )
}

/**
 * PostgreSQL takes any living process with the recorded id for a postmaster and refuses to start. A file whose
 * process is gone stays: from it PostgreSQL finds shared memory that is still in use.
 */
async function removeForeignPidFile(cluster: string, log: Log): Promise<void> {
  const file = await readPidFile(cluster)
  if (!file || process.platform === 'win32') return
  if (Number.isInteger(file.pid) && !isKnown(file.pid)) return
  log('warn', 'removing postmaster.pid: it names a process that is no database of ours', { pid: file.pid })
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

async function areGone(cluster: string, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience
  for (;;) {
    if (findDatabaseProcesses(cluster).length === 0) return true
    if (Date.now() >= deadline) return false
    await wait(20)
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error
  }
}
