import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '#lib/faults.ts'

export type Log = (level: 'info' | 'warn' | 'error', message: string, extra?: Record<string, unknown>) => void

export type PidFile = { pid: number; start: string; port: number; socketFolder: string; status: string }

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
 * Stops database processes of a killed server, because two postmasters would corrupt the cluster. Normally
 * the watchdog of that server stops them first.
 */
export async function clearLeftovers(cluster: string, log: Log): Promise<void> {
  const pid = (await readPidFile(cluster))?.pid
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 3_000],
    ['SIGQUIT', 30_000],
    ['SIGKILL', 10_000],
  ]
  if (await areGone(cluster, 0)) return removeForeignPidFile(cluster, log)
  log('warn', 'a database of an earlier run is still running, waiting for it to stop', { pid })
  for (const [signal, patience] of steps) {
    if (await areGone(cluster, patience)) return removeForeignPidFile(cluster, log)
    const processes = findDatabaseProcesses(cluster)
    // Signals the backends directly only when the postmaster has died.
    const targets = pid !== undefined && processes.includes(pid) ? [pid] : processes
    log('warn', 'stopping the database of an earlier run', { signal, targets })
    for (const pid of targets) signalProcess(pid, signal)
  }
  if (await areGone(cluster, 10_000)) return removeForeignPidFile(cluster, log)
  throw new Error(
    `Processes of an earlier run still use the database in ${cluster} and do not stop: ` +
      `${findDatabaseProcesses(cluster).join(', ')}. Stop them by hand and start again.`,
  )
}

/**
 * Removes a postmaster.pid with the id of another program, because PostgreSQL would refuse to start. Leaves
 * the file of a dead process, because PostgreSQL uses the file to find shared memory that is still in use.
 */
async function removeForeignPidFile(cluster: string, log: Log): Promise<void> {
  const file = await readPidFile(cluster)
  if (!file) return
  if (Number.isInteger(file.pid) && !isKnown(file.pid)) return
  log('warn', 'removing postmaster.pid: it names a process that is not this database', { pid: file.pid })
  await rm(join(cluster, 'postmaster.pid'), { force: true })
}

async function areGone(cluster: string, patience: number): Promise<boolean> {
  const deadline = performance.now() + patience
  for (;;) {
    if (findDatabaseProcesses(cluster).length === 0) return true
    if (performance.now() >= deadline) return false
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

export function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Finds PostgreSQL processes by their working directory, or by their command line outside Linux, because
 * recorded process ids are unreliable after a crash.
 */
export function findDatabaseProcesses(cluster: string): number[] {
  const directory = realpathSync(cluster)
  if (process.platform !== 'linux') return findByCommand(directory)
  const found: number[] = []
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      if (readlinkSync(`/proc/${entry}/cwd`) !== directory) continue
      if (readFileSync(`/proc/${entry}/comm`, 'utf8').trim() === 'postgres') found.push(Number(entry))
    } catch {}
  }
  return found
}

function findByCommand(directory: string): number[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n')
  return lines
    .filter((line) => line.includes('postgres') && line.includes(` -D ${directory}`))
    .map((line) => Number.parseInt(line, 10))
}
