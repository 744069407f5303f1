import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isKnown } from '#platform/database/embedded-postgres/leftovers.ts'

/** Returns false for a zombie, which a container without an init process never reaps. */
export function isAlive(pid: number): boolean {
  if (!isKnown(pid)) return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z'
  } catch {
    return process.platform !== 'linux'
  }
}

/** Returns the start time of a process, on Linux with the boot id, because the system reuses process ids. */
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
