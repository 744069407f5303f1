import { execFile } from 'node:child_process'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { messageOf } from '#lib/faults.ts'
import type { Binaries } from './binaries.ts'
import { changeOwner, type SystemUser } from './identity.ts'
import { databaseEnvironment } from './watchdog.ts'

export const SUPERUSER = 'postgres'

type ClusterOptions = {
  cluster: string
  sync: boolean
  /** Runs after `initdb` has started. */
  onWait?: (() => void) | undefined
}

/** Creates a missing cluster in a draft folder, so that a failed attempt leaves no partial cluster. */
export async function createCluster(
  binaries: Binaries,
  identity: SystemUser,
  options: ClusterOptions,
): Promise<boolean> {
  const { cluster, sync } = options
  const folder = dirname(cluster)
  for (const name of await readdir(folder)) {
    if (name.startsWith('new-')) await rm(join(folder, name), { recursive: true, force: true })
  }
  if (await stat(join(cluster, 'PG_VERSION')).catch(() => null)) return false
  const draft = join(folder, `new-${process.pid}`)
  await mkdir(draft, { mode: 0o700 })
  await changeOwner(draft, identity)
  await initialize(binaries, identity, draft, options)
  await rename(draft, cluster)
  if (sync) {
    // Syncs the parent folder, because a power cut could otherwise lose the rename.
    await using handle = await open(folder, 'r')
    await handle.sync()
  }
  return true
}

async function initialize(
  { initdb }: Binaries,
  { prefix, spawn }: SystemUser,
  draft: string,
  { sync, onWait }: ClusterOptions,
): Promise<void> {
  const options = ['--locale=C', '--encoding=UTF8', '--auth=trust', '--no-instructions']
  if (!sync) options.push('--no-sync')
  const [program = '', ...args] = [
    ...prefix,
    initdb,
    `--pgdata=${draft}`,
    `--username=${SUPERUSER}`,
    ...options,
  ]
  try {
    const running = promisify(execFile)(program, args, {
      ...spawn,
      cwd: dirname(draft),
      env: databaseEnvironment(),
    })
    onWait?.()
    await running
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const output = `${stdout}${stderr}`.trim() || messageOf(error)
    throw new Error(`The embedded PostgreSQL could not create its cluster:\n${output}`)
  }
}
