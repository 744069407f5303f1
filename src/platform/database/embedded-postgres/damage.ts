import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import { StartFault } from '#platform/start-fault.ts'
import type { Binaries } from './binaries.ts'

const damaged = (cluster: string, reason: string) =>
  new StartFault(`DATA_DIR: the database in ${cluster} is damaged (${reason}): restore it from a backup.`)

/**
 * Rejects a cluster without a valid PG_VERSION file or of another PostgreSQL version, before the server writes
 * to it.
 */
export async function refuseForeignCluster({ postgres }: Binaries, cluster: string): Promise<void> {
  const names: string[] = await readdir(cluster).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  // Accepts a missing or empty folder, because the first start then creates the cluster.
  if (names.length === 0) return
  if (!names.includes('PG_VERSION')) throw damaged(cluster, 'PG_VERSION is missing')
  const content = await readFile(join(cluster, 'PG_VERSION'), 'latin1').catch((error) => {
    if (codeOf(error) === 'EISDIR') return ''
    throw error
  })
  const found = /^(\d+)\s*$/.exec(content)?.[1]
  if (found === undefined) throw damaged(cluster, 'PG_VERSION contains no version')
  const own = /\d+/.exec(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0]
  if (own === undefined || found === own) return
  const wayOut =
    Number(found) < Number(own)
      ? 'back it up with the version of Kith that created it, and restore the backup into a new DATA_DIR'
      : 'start the version of Kith that created it'
  throw new StartFault(
    `DATA_DIR: the database in ${cluster} is of PostgreSQL ${found}, and this version of Kith includes ${own}: ${wayOut}.`,
  )
}

/** Rejects a data directory that lost its database, for example because a volume is not mounted. */
export async function refuseEmptiedDataDir(dataDir: string): Promise<void> {
  const traces = [join(dataDir, 'app-secret'), join(dataDir, 'postgres', 'postgres.log')]
  // Looks for these files before the cluster. In the opposite order, a concurrent first start could create
  // both in between.
  const trace = traces.find((path) => existsSync(path))
  if (trace === undefined) return
  const cluster = join(dataDir, 'postgres', 'cluster')
  // Treats an unreadable cluster as present, because the start of PostgreSQL reports why it is unreadable.
  const isThere = await readdir(cluster).then(
    (names) => names.length > 0,
    (error) => codeOf(error) !== 'ENOENT',
  )
  if (isThere) return
  throw new StartFault(
    `DATA_DIR: the database in ${cluster} is missing, but ${trace} shows that one existed: put it back, restore a backup with \`npx kith restore\`, set DATABASE_URL to a database of your own, or start an empty site in another DATA_DIR.`,
  )
}

export function startFailure(
  output: string,
  { folder, cluster, logPath }: { folder: string; cluster: string; logPath: string },
): Error {
  const configuration = join(folder, 'local.conf')
  const fatal = [...output.matchAll(/ (?:FATAL|PANIC): {2}(.*)/g)].at(-1)?.[1]
  if (fatal?.startsWith('configuration file ')) {
    const message = / (?:LOG|FATAL|PANIC): {2}(.*)/.exec(output)?.[1]
    const first = message?.replace(`in file "${configuration}" `, 'in ')
    return new StartFault(
      `DATA_DIR: PostgreSQL cannot read ${configuration} (${first}): correct it or empty it.`,
    )
  }
  const reason = fatal ?? output.trim().split('\n').at(-1)
  return new StartFault(
    `DATA_DIR: the database in ${cluster} does not start (${reason}): read ${logPath}, and restore it from a backup if its files are damaged.`,
  )
}
