import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { codeOf } from '#lib/faults.ts'

/**
 * True while a process with this id runs, under any owner. A zombie does not count, because containers
 * without an init process never collect them.
 */
export function isAlive(pid: number): boolean {
  if (!isKnown(pid)) return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    return process.platform !== 'linux'
  }
}

/** True while the system knows this id, zombies included. */
export function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Distinguishes a process from others that had or get the same id; empty when the system does not report it.
 */
export function findBirth(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`
  } catch {}
  if (process.platform === 'win32' || process.platform === 'linux') return ''
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env }).trim()
  } catch {
    return ''
  }
}

/**
 * Lists the PostgreSQL processes of a cluster: postmaster and children. After a crash a recorded id proves
 * nothing, but each of them has the data directory as its working directory.
 */
export function findDatabaseProcesses(cluster: string): number[] {
  if (process.platform === 'win32') return []
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
