import { createCipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { ReadableStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { Decrypter, Encrypter, type Recipient, Stanza } from 'age-encryption'
import { ArchiveFault } from './archive.ts'
import { FORMER_MAGIC, unsealFormer } from './former-seal.ts'

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

const AGE = Buffer.from('age-encryption.org/')
/** Binary logarithm of the scrypt cost: 64 MB, which a small machine can spare. */
const WORK_FACTOR = 16
const SCRYPT_LABEL = 'age-encryption.org/v1/scrypt'

/** Derives the key in a thread of Node, because the library's scrypt would block the server. */
const passphraseRecipient = (passphrase: string): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(16)
    const cost = { N: 2 ** WORK_FACTOR, r: 8, p: 1, maxmem: 128 * 1024 * 1024 }
    const key = await deriveKey(passphrase, Buffer.concat([Buffer.from(SCRYPT_LABEL), salt]), 32, cost)
    const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 })
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
    const unpadded = salt.toString('base64').replace(/=+$/, '')
    return [new Stanza(['scrypt', unpadded, String(WORK_FACTOR)], body)]
  },
})

async function* buffersOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, length } of stream) yield Buffer.from(buffer, byteOffset, length)
}

/** Encrypts a stream with a passphrase in the format of age, so that `age -d` opens it without Kith. */
export async function* seal(stream: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(passphraseRecipient(passphrase))
  const sealed = await encrypter.encrypt(ReadableStream.from(stream) as globalThis.ReadableStream<Buffer>)
  yield* buffersOf(sealed as unknown as AsyncIterable<Uint8Array>)
}

/** Decrypts a sealed stream of the present or the former format. Throws on another passphrase or a changed byte. */
export async function* unseal(
  stream: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  const { head, whole } = await peek(stream, AGE.length)
  const isFormer = head.subarray(0, FORMER_MAGIC.length).equals(FORMER_MAGIC)
  if (!isFormer && !head.equals(AGE)) return yield* whole
  if (passphrase === undefined)
    throw new ArchiveFault('the backup is sealed: set BACKUP_PASSPHRASE to what it was sealed with')
  yield* isFormer ? unsealFormer(whole, passphrase) : unsealAge(whole, passphrase)
}

const wrongPassphrase = () =>
  new ArchiveFault('BACKUP_PASSPHRASE is not what the backup was sealed with, or it is damaged')

async function* unsealAge(stream: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  let cause: unknown
  async function* watched() {
    try {
      yield* stream
    } catch (error) {
      cause = error
      throw error
    }
  }
  const plain = await decrypter
    .decrypt(ReadableStream.from(watched()) as globalThis.ReadableStream<Buffer>)
    .catch(() => {
      throw cause ?? wrongPassphrase()
    })
  try {
    yield* buffersOf(plain as unknown as AsyncIterable<Uint8Array>)
  } catch {
    throw cause ?? new ArchiveFault('the sealed backup is damaged or cut off')
  }
}

/** Returns the first bytes of a stream, and the stream with them. */
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
