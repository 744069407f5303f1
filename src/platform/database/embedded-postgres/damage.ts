import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import { StartFault } from '#platform/start-fault.ts'
import type { Binaries } from './binaries.ts'

const damaged = (cluster: string, reason: string, wayOut = '') =>
  new StartFault(
    `DATA_DIR: the database in ${cluster} is damaged (${reason}): restore it from a backup${wayOut}.`,
  )

/** Refuses a cluster that is not one of this PostgreSQL, before anything is written there. */
export async function refuseForeignCluster({ postgres }: Binaries, cluster: string): Promise<void> {
  const names: string[] = await readdir(cluster).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  // An empty folder is filled by the first start.
  if (names.length === 0) return
  if (!names.includes('PG_VERSION')) throw damaged(cluster, 'PG_VERSION is missing')
  const content = await readFile(join(cluster, 'PG_VERSION'), 'latin1').catch((error) => {
    if (codeOf(error) === 'EISDIR') return ''
    throw error
  })
  const found = /^(\d+)\s*$/.exec(content)?.[1]
  if (found === undefined) throw damaged(cluster, 'PG_VERSION holds no version')
  const own = /\d+/.exec(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0]
  if (own === undefined || found === own) return
  const wayOut =
    Number(found) < Number(own)
      ? 'back it up with the Kith that made it, and restore the backup into a new DATA_DIR'
      : 'start the Kith that made it'
  throw new StartFault(
    `DATA_DIR: the database in ${cluster} is of PostgreSQL ${found}, and this Kith brings ${own}: ${wayOut}.`,
  )
}

/**
 * Refuses to begin an empty database in a data directory that has had one, such as one whose volume is not mounted. A start
 * writes these files after it has created the cluster.
 */
export async function refuseEmptiedDataDir(dataDir: string): Promise<void> {
  const traces = [join(dataDir, 'app-secret'), join(dataDir, 'postgres', 'postgres.log')]
  // Before the cluster, which another process may create meanwhile.
  const trace = traces.find((path) => existsSync(path))
  if (trace === undefined) return
  const cluster = join(dataDir, 'postgres', 'cluster')
  // The start itself explains what it cannot read.
  const isThere = await readdir(cluster).then(
    (names) => names.length > 0,
    (error) => codeOf(error) !== 'ENOENT',
  )
  if (isThere) return
  throw new StartFault(
    `DATA_DIR: the database in ${cluster} is missing, and ${trace} shows that there was one: put it back, restore a backup with \`npx kith restore\`, name a database of your own in DATABASE_URL, or begin an empty site in another DATA_DIR.`,
  )
}

/** Explains a failed start from the PostgreSQL log. */
export function startFailure(
  output: string,
  { folder, cluster, logPath }: { folder: string; cluster: string; logPath: string },
): Error {
  const said = [...output.matchAll(/ (LOG|FATAL|PANIC): {2}(.*)/g)].map(([, level, text = '']) => ({
    level,
    text,
  }))
  const configuration = join(folder, 'local.conf')
  const fatal = said.findLast(({ level }) => level !== 'LOG')?.text
  if (fatal?.startsWith('configuration file ')) {
    const first = said[0]?.text.replace(`in file "${configuration}" `, 'in ')
    return new StartFault(
      `DATA_DIR: PostgreSQL cannot read ${configuration} (${first}): correct it or empty it.`,
    )
  }
  const reason = fatal ?? output.trim().split('\n').at(-1)
  return new StartFault(
    `DATA_DIR: the database in ${cluster} does not start (${reason}): read ${logPath}, and restore it from a backup if its files are damaged.`,
  )
}
