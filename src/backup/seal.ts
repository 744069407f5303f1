import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  type ScryptOptions,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'
import { ArchiveFault } from './archive.ts'
import { FORMER_MAGIC, unsealFormer } from './former-seal.ts'

// The format is age v1 (https://age-encryption.org/v1) with one scrypt recipient. Kith implements the format
// on Node's ciphers, because they are ten times faster than a JavaScript library.
const VERSION = 'age-encryption.org/v1'
const AGE = Buffer.from(`${VERSION}\n`)
const CIPHER = 'chacha20-poly1305'
const TAG = 16
const CHUNK = 64 * 1024
/** Binary logarithm of the scrypt cost. 16 needs 64 MB, which a small machine can spare. */
const WORK_FACTOR = 16
const LARGEST_WORK_FACTOR = 18
const LONGEST_HEADER = 4096

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** Derives the key in a thread, so that the server is not blocked. */
function wrappingKey(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = { N: 2 ** workFactor, r: 8, p: 1, maxmem: 2 ** workFactor * 1024 * 2 }
  return deriveKey(passphrase, Buffer.concat([Buffer.from(`${VERSION}/scrypt`), salt]), 32, cost)
}

const derived = (fileKey: Buffer, salt: Buffer, purpose: 'header' | 'payload') =>
  Buffer.from(hkdfSync('sha256', fileKey, salt, purpose, 32))

const macOf = (fileKey: Buffer, header: string) =>
  createHmac('sha256', derived(fileKey, Buffer.alloc(0), 'header'))
    .update(header)
    .digest()

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')

function encrypt(key: Buffer, nonce: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG })
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < TAG) return undefined
  const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG })
  cipher.setAuthTag(sealed.subarray(-TAG))
  const plain = cipher.update(sealed.subarray(0, -TAG))
  try {
    cipher.final()
    return plain
  } catch {
    return undefined
  }
}

/**
 * Returns a nonce with the number of the chunk and a flag for the last chunk, so that an attacker cannot
 * drop, move or append chunks.
 */
function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

async function* chunksOf(
  stream: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let held: Buffer[] = []
  let length = 0
  for await (const piece of stream) {
    let at = 0
    while (length + piece.length - at > size) {
      const end = at + size - length
      held.push(piece.subarray(at, end))
      yield { chunk: held.length === 1 ? piece.subarray(at, end) : Buffer.concat(held), isLast: false }
      ;[held, length, at] = [[], 0, end]
    }
    held.push(piece.subarray(at))
    length += piece.length - at
  }
  yield { chunk: Buffer.concat(held), isLast: true }
}

/** Encrypts a stream in the age format, so that `age -d` decrypts a backup without Kith. */
export async function* seal(stream: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const [fileKey, salt, nonce] = [randomBytes(16), randomBytes(16), randomBytes(16)]
  const wrapped = encrypt(await wrappingKey(passphrase, salt, WORK_FACTOR), Buffer.alloc(12), fileKey)
  const header = `${VERSION}\n-> scrypt ${unpadded(salt)} ${WORK_FACTOR}\n${unpadded(wrapped)}\n---`
  yield Buffer.from(`${header} ${unpadded(macOf(fileKey, header))}\n`)
  yield nonce
  const key = derived(fileKey, nonce, 'payload')
  let index = 0
  for await (const { chunk, isLast } of chunksOf(stream, CHUNK))
    yield encrypt(key, nonceOf(index++, isLast), chunk)
}

export const isSealed = (head: Buffer): boolean =>
  [AGE, FORMER_MAGIC].some((magic) => head.subarray(0, magic.length).equals(magic))

/** Decrypts the age format and the former format, and passes an unsealed stream through. */
export async function* unseal(
  stream: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  const { head, whole } = await peek(stream, AGE.length)
  const isFormer = head.subarray(0, FORMER_MAGIC.length).equals(FORMER_MAGIC)
  if (!isFormer && !head.equals(AGE)) return yield* whole
  if (passphrase === undefined)
    throw new ArchiveFault('the backup is sealed: set BACKUP_PASSPHRASE to its passphrase')
  yield* isFormer ? unsealFormer(whole, passphrase) : unsealAge(whole, passphrase)
}

const wrongPassphrase = () =>
  new ArchiveFault('BACKUP_PASSPHRASE is not the passphrase of the backup, or the backup is damaged')

const HEADER =
  /^age-encryption\.org\/v1\n-> scrypt ([\w+/]{22}) (\d{1,2})\n([\w+/]{43})\n---(?= ([\w+/]{43})\n)/

async function* unsealAge(stream: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const { head, whole } = await peek(stream, LONGEST_HEADER)
  const found = HEADER.exec(head.toString('latin1'))
  const [header = '', salt = '', workFactor = '', wrapped = '', mac = ''] = found ?? []
  if (!found) throw wrongPassphrase()
  if (Number(workFactor) > LARGEST_WORK_FACTOR)
    throw new ArchiveFault(
      `the backup is sealed at a scrypt cost of ${workFactor}; Kith opens ${LARGEST_WORK_FACTOR} or less`,
    )
  const bytesOf = (text: string) => Buffer.from(text, 'base64')
  const wrapping = await wrappingKey(passphrase, bytesOf(salt), Number(workFactor))
  const fileKey = decrypt(wrapping, Buffer.alloc(12), bytesOf(wrapped))
  if (!fileKey || !timingSafeEqual(macOf(fileKey, header), bytesOf(mac))) throw wrongPassphrase()
  const body = skip(whole, header.length + 1 + mac.length + 1)
  const { head: nonce, whole: rest } = await peek(body, 16)
  const key = derived(fileKey, nonce, 'payload')
  let index = 0
  for await (const { chunk, isLast } of chunksOf(skip(rest, nonce.length), CHUNK + TAG)) {
    const plain = decrypt(key, nonceOf(index++, isLast), chunk)
    if (!plain) throw new ArchiveFault('the sealed backup is damaged or truncated')
    yield plain
  }
}

async function* skip(stream: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const piece of stream) {
    if (piece.length > left) yield piece.subarray(left)
    left = Math.max(0, left - piece.length)
  }
}

async function peek(stream: AsyncIterable<Buffer>, length: number) {
  const source = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  while (held.length < length) {
    const { value, done } = await source.next()
    if (done) break
    held = Buffer.concat([held, value])
  }
  async function* whole() {
    yield held
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { head: held.subarray(0, length), whole: whole() }
}
