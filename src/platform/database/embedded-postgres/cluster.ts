import { spawn } from 'node:child_process'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { changeOwner, type SystemUser } from './identity.ts'
import { databaseEnvironment } from './watchdog.ts'

export const SUPERUSER = 'postgres'

/** Creates a missing cluster in a draft folder, so that a failed attempt leaves no partial cluster. */
export async function createCluster(
  binaries: Binaries,
  identity: SystemUser,
  options: { folder: string; cluster: string; sync: boolean },
): Promise<boolean> {
  const { folder, cluster, sync } = options
  for (const name of await readdir(folder)) {
    if (name.startsWith('new-')) await rm(join(folder, name), { recursive: true, force: true })
  }
  if (await stat(join(cluster, 'PG_VERSION')).catch(() => null)) return false
  const draft = join(folder, `new-${process.pid}`)
  await mkdir(draft, { mode: 0o700 })
  await changeOwner(draft, identity)
  await run(
    identity,
    [
      binaries.initdb,
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      '--locale=C',
      '--encoding=UTF8',
      '--auth=trust',
      ...(sync ? [] : ['--no-sync']),
      '--no-instructions',
    ],
    folder,
  )
  await rename(draft, cluster)
  // Syncs the parent folder, because a power cut could otherwise lose the rename.
  if (sync) await syncFolder(dirname(cluster))
  return true
}

async function run(identity: SystemUser, command: string[], cwd: string): Promise<void> {
  const [program = '', ...args] = [...identity.prefix, ...command]
  const child = spawn(program, args, {
    ...identity.spawn,
    cwd,
    env: databaseEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`The embedded PostgreSQL could not create its cluster:\n${output.trim()}`)
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
