import { spawnSync } from 'node:child_process'
import { chown, lchown, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartFault } from '#platform/start-fault.ts'
import type { Binaries } from './binaries.ts'

/** As whom the database programs run, and what goes in front of their command line for it. */
export type Identity = {
  name: string
  prefix: string[]
  spawn: { uid?: number; gid?: number }
  /** Who must own the files of the cluster; null when that is simply whoever runs the server. */
  owner: { uid: number; gid: number } | null
}

const nobody = 65534

/**
 * PostgreSQL refuses to run as root. Root therefore lends it another identity: the owner an existing cluster
 * already has, else `nobody`, else the owner of the folder above; and where none of these can get at the
 * files (a checkout below a private /root), root itself under the name of nobody in a user namespace.
 */
export async function chooseIdentity(binaries: Binaries, folder: string, cluster: string): Promise<Identity> {
  const existing = await stat(join(cluster, 'PG_VERSION')).catch(() => null)
  const uid = process.getuid?.()
  if (uid !== 0) {
    if (existing && uid !== undefined && existing.uid !== uid) {
      throw new StartFault(
        `DATA_DIR: the database in ${cluster} belongs to the user with id ${existing.uid}, but the server runs as ${uid}. ` +
          `Run it as that user, or change the owner of the whole folder.`,
      )
    }
    return { name: 'self', prefix: [], spawn: {}, owner: null }
  }
  const candidates: Identity[] = []
  if (existing) candidates.push(existing.uid === 0 ? namespaced() : asUser(existing.uid, existing.gid))
  candidates.push(asUser(nobody, nobody))
  const above = await findOtherOwner(dirname(folder))
  if (above) candidates.push(asUser(above.uid, above.gid))
  candidates.push(namespaced())
  for (const candidate of candidates) {
    if (await canRun(candidate, binaries, folder)) return candidate
  }
  throw new StartFault(
    'PostgreSQL refuses to run as root, and no other identity works here: neither `nobody` nor the owner of the ' +
      `folder can reach both ${binaries.native} and ${folder}, or root may not change its identity, and user ` +
      'namespaces (`unshare --user`) are not allowed. Run the server as an ordinary user, keep it and DATA_DIR ' +
      'in folders that others may enter (mode 0711 or 0755), or set DATABASE_URL to use a PostgreSQL server of ' +
      'your own.',
  )
}

/** Hands a single folder to the identity, when it is not the owner already. */
export async function handOver(path: string, identity: Identity): Promise<void> {
  const { owner } = identity
  if (!owner) return
  const { uid, gid } = await stat(path)
  if (uid !== owner.uid || gid !== owner.gid) await chown(path, owner.uid, owner.gid)
}

/** Hands over a whole tree, decided by its top: that one is changed last, so a broken run is repeated. */
export async function handOverTree(path: string, identity: Identity): Promise<void> {
  const { owner } = identity
  if (!owner || (await stat(path)).uid === owner.uid) return
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner.uid, owner.gid)
  }
  await chown(path, owner.uid, owner.gid)
}

function asUser(uid: number, gid: number): Identity {
  return { name: `user ${uid}`, prefix: [], spawn: { uid, gid }, owner: { uid, gid } }
}

function namespaced(): Identity {
  const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--']
  return { name: 'root in a user namespace', prefix, spawn: {}, owner: { uid: 0, gid: 0 } }
}

async function canRun(identity: Identity, binaries: Binaries, folder: string): Promise<boolean> {
  const { uid, gid } = identity.owner ?? { uid: 0, gid: 0 }
  const data = join(binaries.native, 'share', 'postgresql', 'postgres.bki')
  for (const path of [binaries.initdb, data]) {
    if (!(await isReadable(path, uid, gid))) return false
  }
  if (!(await isEnterable(dirname(folder), uid, gid))) return false
  const [command = '', ...args] = [...identity.prefix, binaries.postgres, '--version']
  return spawnSync(command, args, { ...identity.spawn, cwd: '/', stdio: 'ignore' }).status === 0
}

/** Looks at the modes alone: what root may read says nothing about what another user may. */
async function isReadable(path: string, uid: number, gid: number): Promise<boolean> {
  return (await hasBits(path, uid, gid, 4)) && (await isEnterable(dirname(path), uid, gid))
}

async function isEnterable(folder: string, uid: number, gid: number): Promise<boolean> {
  for (let path = folder; ; path = dirname(path)) {
    if (!(await hasBits(path, uid, gid, 1))) return false
    if (path === dirname(path)) return true
  }
}

async function hasBits(path: string, uid: number, gid: number, bits: number): Promise<boolean> {
  const info = await stat(path).catch(() => null)
  if (!info) return false
  const shift = info.uid === uid ? 6 : info.gid === gid ? 3 : 0
  return ((info.mode >> shift) & bits) === bits
}

async function findOtherOwner(folder: string): Promise<{ uid: number; gid: number } | null> {
  for (let path = folder; path !== dirname(path); path = dirname(path)) {
    const info = await stat(path).catch(() => null)
    if (info && info.uid !== 0) return { uid: info.uid, gid: info.gid }
  }
  return null
}
