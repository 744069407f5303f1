import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '#platform/files'
import { restore } from './backup.ts'
import type { Environment } from './context.ts'

/** Accepts uploads and stores none. The verification of the backup has already compared their checksums. */
const discard: Storage = {
  vendor: 'local',
  put: async () => {},
  open: () => Promise.reject(new Error('a checked backup stores no uploads')),
  remove: async () => {},
  async *list() {},
  writtenAt: async () => undefined,
  tidy: async () => {},
}

/**
 * Settings of the throw-away site. Keeps what reads the backup, and drops every service of the real site, so that
 * the check can neither change nor ask one.
 */
function environmentOf(env: Environment, dataDir: string): Environment {
  const kept = /^(S3_|BACKUP_PASSPHRASE|LOG_LEVEL$|PATH$|HOME$|TMPDIR$|LANG$)/
  const entries = Object.entries(env).filter(([name]) => kept.test(name))
  return { ...Object.fromEntries(entries), DATA_DIR: dataDir, PROCESSES: '1' }
}

/**
 * Implements `kith backup --check FILE`: verifies the backup, restores it into a database of its own in a temporary
 * folder, checks it as `kith doctor` does, and deletes it. Returns exit code 1 when the restored database has faults.
 */
export async function checkBackup(env: Environment, from: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'kith-check-'))
  try {
    // PostgreSQL runs as another user when this process runs as root.
    await chmod(folder, 0o711)
    return await restore(environmentOf(env, join(folder, 'data')), from, { storage: discard })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
