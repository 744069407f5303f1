import { spawnSync } from 'node:child_process'
import { chown, lchown, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartFault } from '#platform/start-fault.ts'
import type { Binaries } from './binaries.ts'

export type SystemUser = {
  name: string
  prefix: string[]
  spawn: { uid?: number; gid?: number }
  /** Owner of the cluster's files. Null for the OS user of the server. */
  owner: { uid: number; gid: number } | null
}

const nobody = 65534

/**
 * Chooses an OS user, because PostgreSQL refuses to run as root. Falls back to a user namespace when no other
 * user can read the programs and the data.
 */
export async function chooseSystemUser(binaries: Binaries, cluster: string): Promise<SystemUser> {
  // `checkDataDir` has already rejected a cluster of another OS user.
  if (process.getuid?.() !== 0) return { name: 'self', prefix: [], spawn: {}, owner: null }
  const folder = dirname(cluster)
  const existing = await stat(join(cluster, 'PG_VERSION')).catch(() => null)
  const candidates: SystemUser[] = []
  if (existing) candidates.push(existing.uid === 0 ? namespaced() : asUser(existing.uid, existing.gid))
  candidates.push(asUser(nobody, nobody))
  const above = await findOtherOwner(dirname(folder))
  if (above) candidates.push(asUser(above.uid, above.gid))
  candidates.push(namespaced())
  const usable = candidates.find((candidate) => canRun(candidate, binaries, folder))
  if (usable) return usable
  throw new StartFault(
    'PostgreSQL refuses to run as root, and no other identity works here: neither `nobody` nor the owner of the ' +
      `folder can reach both ${binaries.native} and ${folder}, or root may not change its identity, and user ` +
      'namespaces (`unshare --user`) are not allowed. Run the server as an ordinary user, keep it and DATA_DIR ' +
      'in folders that others may enter (mode 0711 or 0755), or set DATABASE_URL to use a PostgreSQL server of ' +
      'your own.',
  )
}

export async function changeOwner(path: string, identity: SystemUser): Promise<void> {
  const { owner } = identity
  if (!owner) return
  const { uid, gid } = await stat(path)
  if (uid !== owner.uid || gid !== owner.gid) await chown(path, owner.uid, owner.gid)
}

/**
 * Changes the owner of the top folder last, so that the next start notices and repeats an interrupted change.
 */
export async function changeTreeOwner(path: string, identity: SystemUser): Promise<void> {
  const { owner } = identity
  if (!owner || (await stat(path)).uid === owner.uid) return
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
  }
  await chown(path, owner.uid, owner.gid)
}

function asUser(uid: number, gid: number): SystemUser {
  return { name: `user ${uid}`, prefix: [], spawn: { uid, gid }, owner: { uid, gid } }
}

function namespaced(): SystemUser {
  const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--']
  return { name: 'root in a user namespace', prefix, spawn: {}, owner: { uid: 0, gid: 0 } }
}

/** Tests the file access of an OS user in a shell of that user, because root can read every file. */
function canRun(
  { prefix, spawn }: SystemUser,
  { native, initdb, postgres }: Binaries,
  folder: string,
): boolean {
  const script = 'test -r "$1" && test -x "$2" && test -x "$3" && exec "$4" --version'
  const data = join(native, 'share', 'postgresql', 'postgres.bki')
  const [command = '', ...args] = [
    ...prefix,
    ...['/bin/sh', '-c', script, 'kith-identity'],
    ...[data, dirname(folder), initdb, postgres],
  ]
  return spawnSync(command, args, { ...spawn, cwd: '/', stdio: 'ignore' }).status === 0
}

async function findOtherOwner(folder: string): Promise<{ uid: number; gid: number } | null> {
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const info = await stat(path).catch(() => null)
    if (info && info.uid !== 0) return { uid: info.uid, gid: info.gid }
  }
  return null
}
