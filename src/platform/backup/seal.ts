import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { ArchiveFault } from './tar.ts'

/** Bytes that begin a sealed backup. */
const SEAL = Buffer.from('kith-sealed-1\n')
const SALT = 16
const TAG = 16
const PIECE = 64 * 1024

const keyOf = (passphrase: string, salt: Buffer) =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 })

/** Each piece has a number, and the last one says so: none can be left out, moved, or put at the end. */
function nonce(index: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.writeUInt8(isLast ? 1 : 0, 0)
  bytes.writeUInt32BE(index, 8)
  return bytes
}

/** Seals a stream with a passphrase (AES-256-GCM, in pieces of 64 kB, under a key made by scrypt). */
export async function* seal(stream: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT)
  const key = keyOf(passphrase, salt)
  yield Buffer.concat([SEAL, salt])
  let index = 0
  const sealed = (piece: Buffer, isLast: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(index, isLast))
    index += 1
    const head = Buffer.alloc(4)
    head.writeUInt32BE(piece.length)
    const body = Buffer.concat([cipher.update(piece), cipher.final()])
    return Buffer.concat([head, cipher.getAuthTag(), body])
  }
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    held.push(chunk)
    size += chunk.length
    if (size <= PIECE) continue
    let all = Buffer.concat(held)
    for (; all.length > PIECE; all = all.subarray(PIECE)) yield sealed(all.subarray(0, PIECE), false)
    held = [all]
    size = all.length
  }
  yield sealed(Buffer.concat(held), true)
}

/** Opens what `seal` made. Throws where the passphrase is another or a byte has changed. */
export async function* unseal(
  stream: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  let key: Buffer | undefined
  let isPlain: boolean | undefined
  let index = 0
  let isOver = false
  for await (const chunk of stream) {
    if (isPlain) {
      yield chunk
      continue
    }
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    if (isPlain === undefined) {
      if (held.length < SEAL.length + SALT) continue
      isPlain = !held.subarray(0, SEAL.length).equals(SEAL)
      if (isPlain) {
        yield held
        continue
      }
      if (passphrase === undefined)
        throw new ArchiveFault('the backup is sealed: set BACKUP_PASSPHRASE to what it was sealed with')
      key = keyOf(passphrase, held.subarray(SEAL.length, SEAL.length + SALT))
      held = held.subarray(SEAL.length + SALT)
    }
    while (held.length >= 4 + TAG) {
      const size = held.readUInt32BE()
      if (size > PIECE) throw new ArchiveFault('the sealed backup is damaged')
      if (held.length < 4 + TAG + size) break
      if (isOver) throw new ArchiveFault('the sealed backup has something after its end')
      const tag = held.subarray(4, 4 + TAG)
      const body = held.subarray(4 + TAG, 4 + TAG + size)
      held = held.subarray(4 + TAG + size)
      const opened = open(key as Buffer, index, body, tag)
      index += 1
      isOver = opened.isLast
      yield opened.piece
    }
  }
  if (isPlain === undefined) yield held
  else if (!isPlain && !isOver) throw new ArchiveFault('the backup ends too early: it is cut off')
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
      ? 'BACKUP_PASSPHRASE is not what the backup was sealed with, or it is damaged'
      : 'the sealed backup is damaged',
  )
}
