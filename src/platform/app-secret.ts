import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '#lib/faults.ts'
import { StartFault } from '#platform/start-fault.ts'

/** Minimum length in characters. An attacker could guess a shorter secret from one sealed value. */
export const minimumSecretLength = 16

const WAY_OUT = 'restore it from a backup, or set APP_SECRET to its content'

export function loadAppSecret(dataDir: string, { mayCreate = true } = {}): string {
  const path = join(dataDir, 'app-secret')
  const secret = readSecret(path)
  if (secret !== undefined) return secret
  if (!mayCreate) throw new StartFault(`${path} is missing, but the database was sealed with it: ${WAY_OUT}.`)
  mkdirSync(dataDir, { recursive: true })
  createSecretFile(path)
  // Reads the secret file again, because another process may have created the file in the meantime.
  const created = readSecret(path)
  if (created === undefined) throw new Error(`${path} disappeared while it was created`)
  return created
}

function readSecret(path: string): string | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') return undefined
    const reason = code === 'EISDIR' ? 'is a folder, but must be a file' : `cannot be read (${code})`
    throw new StartFault(`${path} ${reason}: ${WAY_OUT}.`)
  }
  if (text.length < minimumSecretLength) throw new StartFault(`${path} is damaged: ${WAY_OUT}.`)
  return text
}

function createSecretFile(path: string): void {
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    const secret = randomBytes(32).toString('base64url')
    writeFileSync(draft, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    publish(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Publishes the draft of the secret file with a hard link, because linking is atomic and never replaces an
 * existing file.
 */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    // Some file systems support no hard links. A rename is atomic too, but replaces an existing secret.
    renameSync(draft, path)
  }
}
