import { createDecipheriv, scryptSync } from 'node:crypto'
import { ArchiveFault } from './archive.ts'

/** Magic bytes of backups sealed before Kith used the age format. */
export const FORMER_MAGIC = Buffer.from('kith-sealed-1\n')
const SALT = 16
const TAG = 16
const PIECE = 64 * 1024

/**
 * Returns a nonce with the number of the chunk and a flag for the last chunk, so that an attacker cannot
 * drop, move or append chunks.
 */
function nonce(index: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt8(isLast ? 1 : 0, 0)
  bytes.writeUInt32BE(index, 8)
  return bytes
}

export async function* unsealFormer(
  stream: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let key: Buffer | undefined
  let index = 0
  let isOver = false
  for await (const chunk of stream) {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (!key) {
      if (held.length < FORMER_MAGIC.length + SALT) continue
      const salt = held.subarray(FORMER_MAGIC.length, FORMER_MAGIC.length + SALT)
      key = scryptSync(passphrase, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 })
      held = held.subarray(FORMER_MAGIC.length + SALT)
    }
    while (held.length >= 4 + TAG) {
      const size = held.readUInt32BE()
      if (size > PIECE) throw new ArchiveFault('the sealed backup is damaged')
      if (held.length < 4 + TAG + size) break
      if (isOver) throw new ArchiveFault('the sealed backup has data after its end')
      const tag = held.subarray(4, 4 + TAG)
      const body = held.subarray(4 + TAG, 4 + TAG + size)
      held = held.subarray(4 + TAG + size)
      const opened = open(key, index, body, tag)
      index += 1
      isOver = opened.isLast
      yield opened.piece
    }
  }
  if (!isOver) throw new ArchiveFault('the backup is truncated')
}

function open(key: Buffer, index: number, body: Buffer, tag: Buffer): { piece: Buffer; isLast: boolean } {
  for (const isLast of [false, true]) {
    const cipher = createDecipheriv('aes-256-gcm', key, nonce(index, isLast)).setAuthTag(tag)
    const piece = cipher.update(body)
    try {
      cipher.final()
      return { piece, isLast }
    } catch {}
  }
  throw new ArchiveFault(
    index === 0
      ? 'BACKUP_PASSPHRASE is not the passphrase of the backup, or the backup is damaged'
      : 'the sealed backup is damaged',
  )
}
