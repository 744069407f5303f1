import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isKnown } from '#platform/database/embedded-postgres/processes.ts'

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

/**
 * Distinguishes a process from others with the same id before or after it. Empty when the system does not report
 * it.
 */
export function findBirth(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`
  } catch {}
  if (process.platform === 'linux') return ''
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env }).trim()
  } catch {
    return ''
  }
}
