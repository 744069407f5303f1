import { createHash } from 'node:crypto'

/** One file of an archive; its body has to be read before the next one is asked for. */
export type Entry = { name: string; size: number; body: AsyncIterable<Buffer> }

const BLOCK = 512

/** An archive that is damaged, cut off, or none. */
export class ArchiveFault extends Error {}

function header(name: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  // The last folder that fits goes into the second place for names.
  const cut = name.length <= 100 ? -1 : name.lastIndexOf('/', 155)
  const [prefix, rest] = cut < 0 ? ['', name] : [name.slice(0, cut), name.slice(cut + 1)]
  if (Buffer.byteLength(rest) > 100 || Buffer.byteLength(prefix) > 155)
    throw new ArchiveFault(`the name ${name} is too long for an archive`)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits - 1, '0')
  block.write(rest, 0)
  block.write(octal(0o600, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, 12), 124)
  block.write(octal(seconds, 12), 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  block.write(prefix, 345)
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${octal(sum, 7)}\0 `, 148)
  return block
}

/** Writes files one after the other in the format of tar, and tells the SHA-256 of each. */
export async function* tarEntry(
  name: string,
  size: number,
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  onEnd: (sum: string) => void,
): AsyncGenerator<Buffer> {
  yield header(name, size, Math.floor(Date.now() / 1000))
  const hash = createHash('sha256')
  let written = 0
  for await (const chunk of body) {
    hash.update(chunk)
    written += chunk.length
    if (written > size) break
    yield chunk
  }
  if (written !== size) throw new ArchiveFault(`${name} changed its size while it was copied`)
  if (size % BLOCK > 0) yield Buffer.alloc(BLOCK - (size % BLOCK))
  onEnd(hash.digest('hex'))
}

/** What ends an archive. */
export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK)

/** Reads the files of an archive one after the other. */
export async function* readTar(stream: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const source = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)
  const more = async () => {
    const { value, done } = await source.next()
    if (done) throw new ArchiveFault('the backup ends too early: it is cut off')
    return value as Buffer
  }
  async function* bytes(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (held.length === 0) held = await more()
      const piece = held.subarray(0, left)
      held = held.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }
  for (;;) {
    const block = Buffer.concat(await Array.fromAsync(bytes(BLOCK)))
    if (block.every((byte) => byte === 0)) return
    const text = (from: number, length: number) =>
      block.toString('utf8', from, from + length).replace(/\0.*$/s, '')
    let sum = 0
    for (const [index, byte] of block.entries()) sum += index >= 148 && index < 156 ? 32 : byte
    if (text(257, 5) !== 'ustar' || Number.parseInt(text(148, 8), 8) !== sum)
      throw new ArchiveFault('this is no backup, or it is damaged')
    const prefix = text(345, 155)
    const size = Number.parseInt(text(124, 12), 8)
    const body = bytes(size)
    yield { name: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`, size, body }
    for await (const _left of body);
    if (size % BLOCK === 0) continue
    for await (const padding of bytes(BLOCK - (size % BLOCK)))
      if (padding.some((byte) => byte !== 0)) throw new ArchiveFault('the backup is damaged')
  }
}
