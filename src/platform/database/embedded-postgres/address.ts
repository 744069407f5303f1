import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changeOwner, type SystemUser } from './identity.ts'

export type Address = { host: string; port: number; settings: Record<string, string>; isTemporary: boolean }

/** Longest Unix socket path that every system accepts, in bytes without the final zero. */
const longestSocketPath = 103
const port = 5432

/** Uses a temporary folder when the path of the data directory is too long for a Unix socket. */
export async function prepareAddress(folder: string, identity: SystemUser): Promise<Address> {
  const near = join(folder, 'run')
  const isTemporary = !fits(near)
  const host = isTemporary ? await findShortFolder(join(folder, 'socket-folder'), identity) : near
  if (!isTemporary) await mkdir(near, { recursive: true, mode: 0o700 })
  await chmod(host, 0o700)
  await changeOwner(host, identity)
  const settings = {
    listen_addresses: '',
    port: String(port),
    unix_socket_directories: `"${host.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  return { host, port, settings, isTemporary }
}

export async function removeAddress(folder: string, address: Address): Promise<void> {
  if (!address.isTemporary) return
  await rm(address.host, { recursive: true, force: true })
  await rm(join(folder, 'socket-folder'), { force: true })
}

/**
 * Removes the socket files of a killed database. PostgreSQL would refuse to start if another program now
 * had the process id in the lock file.
 */
export async function clearAddress(host: string): Promise<void> {
  for (const suffix of ['', '.lock']) await rm(join(host, `.s.PGSQL.${port}${suffix}`), { force: true })
}

/** Reuses the recorded folder only while it is private, because any user may write to /tmp. */
async function findShortFolder(record: string, identity: SystemUser): Promise<string> {
  const recorded = (await readFile(record, 'utf8').catch(() => '')).trim()
  if (recorded) {
    const info = await stat(recorded).catch(() => null)
    const owner = identity.owner?.uid ?? process.getuid?.()
    if (info?.isDirectory() && info.uid === owner && (info.mode & 0o777) === 0o700) return recorded
  }
  const parent = fits(join(tmpdir(), 'kith-XXXXXX')) ? tmpdir() : '/tmp'
  const created = await mkdtemp(join(parent, 'kith-'))
  await writeFile(record, created)
  return created
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= longestSocketPath
}
