import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { extract, pack } from 'tar-stream'

/** The body is readable only until the next entry is requested. */
export type ArchiveEntry = { name: string; size: number; body: AsyncIterable<Buffer> }

export type AddEntry = (
  name: string,
  size: number,
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
) => Promise<string>

export class ArchiveFault extends Error {}

export async function* writeArchive(fill: (add: AddEntry) => Promise<void>): AsyncGenerator<Buffer> {
  const archive = pack()
  const add: AddEntry = async (name, size, body) => {
    const hash = createHash('sha256')
    let written = 0
    const changed = new ArchiveFault(`${name} changed in size while it was copied`)
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          written += chunk.length
          if (written > size) throw changed
          yield chunk
        }
        if (written < size) throw changed
      },
      archive.entry({ name, size, mode: 0o600, mtime: new Date() }) as unknown as NodeJS.WritableStream,
    )
    return hash.digest('hex')
  }
  const filled = fill(add).then(
    () => archive.finalize(),
    (error) => archive.destroy(error),
  )
  try {
    yield* archive as AsyncIterable<Buffer>
  } finally {
    archive.destroy()
    await filled
  }
}

const asFault = (error: unknown): unknown => {
  const { message = '' } = error as Partial<Error>
  if (message === 'Unexpected end of data') return new ArchiveFault('the backup is truncated')
  if (message.startsWith('Invalid tar header'))
    return new ArchiveFault('this is not a backup, or it is damaged')
  return error
}

export async function* readArchive(stream: AsyncIterable<Buffer>): AsyncGenerator<ArchiveEntry> {
  const archive = extract()
  const fed = pipeline(stream, archive as unknown as NodeJS.WritableStream)
  // Prevents an unhandled rejection. The iteration over the entries throws the same error.
  fed.catch(() => {})
  async function* bodyOf(entry: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* entry
    } catch (error) {
      throw asFault(error)
    }
  }
  try {
    for await (const entry of archive) {
      const body = bodyOf(entry)
      yield { name: entry.header.name, size: entry.header.size ?? 0, body }
      for await (const _unread of body);
    }
    await fed
  } catch (error) {
    throw asFault(error)
  } finally {
    archive.destroy()
  }
}
