import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { codeOf } from '#lib/faults.ts'

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
