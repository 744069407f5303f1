import { createReadStream, createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { type PersonalDataReader, type PersonalTable, readPersonal } from '#contracts/personal-data.ts'
import type { Context } from '#platform/context.ts'
import { StorageError } from '#platform/files'
import { type ArchiveIndex, indexData, indexPage, type Listed } from './index-page.ts'

export type Archive = { size: number; rows: number; files: number }

type Wanted = {
  /** Path of the archive. Temporary files lie beside it. */
  path: string
  account: { id: number; name: string }
  language: PersonalDataReader['language']
  /** Maximum bytes of uploads. Uploads beyond it are listed without their bytes. */
  bytesLimit: number
  signal: AbortSignal
}

/** Writes a zip file entry by entry, with backpressure from the disk. */
function openZip(path: string, signal: AbortSignal) {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const written = pipeline(output, createWriteStream(path, { mode: 0o600 }), { signal })
  const broken = new Promise<never>((_resolve, reject) => {
    zip.once('error', reject)
    written.catch(reject)
  })
  broken.catch(() => {})
  const mtime = new Date()
  return {
    async add(name: string, content: Readable, compress: boolean): Promise<void> {
      try {
        const isRead = finished(content)
        zip.addReadStream(content, name, { compress, mtime, mode: 0o100600 })
        await Promise.race([broken, isRead])
      } catch (error) {
        output.destroy()
        throw signal.aborted ? signal.reason : error
      } finally {
        content.destroy()
      }
    },
    async end(): Promise<number> {
      zip.end()
      await written.catch((error) => {
        throw signal.aborted ? signal.reason : error
      })
      return (await stat(path)).size
    },
    close: () => void output.destroy(),
  }
}

/** Rows as a JSON list, one per line. */
async function* jsonList(
  pages: AsyncIterable<object[]>,
  onRows: (count: number) => void,
): AsyncGenerator<string> {
  let count = 0
  yield '['
  for await (const rows of pages) {
    const text = rows.map((row) => JSON.stringify(row)).join(',\n')
    if (text !== '') yield `${count === 0 ? '\n' : ',\n'}${text}`
    count += rows.length
  }
  onRows(count)
  yield '\n]\n'
}

/**
 * Writes a user's personal data into an archive: a list per table, uploads, and an index in the user's
 * language. Memory holds at most a page of rows and a chunk of a file.
 */
export async function writeArchive(
  ctx: Context,
  tables: readonly PersonalTable[],
  { path, account, language, bytesLimit, signal }: Wanted,
): Promise<Archive> {
  const reader = { userId: account.id, language }
  const zip = openZip(path, signal)
  const index: ArchiveIndex = {
    site: ctx.config.publicUrl,
    account,
    madeAt: new Date().toISOString(),
    language,
    listed: [],
    files: 0,
    leftOut: 0,
  }
  let room = bytesLimit

  /** Adds the bytes of an upload. Returns the reason if it cannot. */
  async function addBytes({ key, path: name, size }: { key: string; path: string; size: number }) {
    if (size > room) return 'no room'
    try {
      const { stream } = await ctx.storage.open(key)
      await zip.add(name, stream, false)
    } catch (error) {
      if (error instanceof StorageError && error.fault === 'missing') return 'lost'
      throw error
    }
    room -= size
    return undefined
  }

  async function* withBytes(pages: ReturnType<typeof readPersonal>): AsyncGenerator<object[]> {
    for await (const rows of pages) {
      const told: object[] = []
      for (const { shown, bytes } of rows) {
        signal.throwIfAborted()
        const reason = bytes && (await addBytes(bytes))
        if (bytes) index[reason === undefined ? 'files' : 'leftOut'] += 1
        told.push(
          bytes === undefined
            ? shown
            : {
                ...shown,
                ...(reason === undefined ? { path: bytes.path } : { path: null, left_out: reason }),
              },
        )
      }
      yield told
    }
  }

  async function* shownOf(pages: ReturnType<typeof readPersonal>): AsyncGenerator<object[]> {
    for await (const rows of pages) {
      signal.throwIfAborted()
      yield rows.map(({ shown }) => shown)
    }
  }

  try {
    for (const table of tables) {
      const listed: Listed = { path: `${table.file}.json`, about: table.about, rows: 0 }
      const onRows = (count: number) => {
        listed.rows = count
      }
      const pages = readPersonal(ctx, table, reader)
      if (table.bytes) {
        // Writes the bytes first, so that the list records the result for each upload.
        const draft = join(dirname(path), listed.path)
        const file = await open(draft, 'wx', 0o600)
        await pipeline(jsonList(withBytes(pages), onRows), file.createWriteStream())
        await zip.add(listed.path, createReadStream(draft), true)
      } else await zip.add(listed.path, Readable.from(jsonList(shownOf(pages), onRows)), true)
      index.listed.push(listed)
    }
    await zip.add('index.json', Readable.from([`${JSON.stringify(indexData(index), null, 2)}\n`]), true)
    await zip.add('index.html', Readable.from([indexPage(index)]), true)
    const size = await zip.end()
    return { size, files: index.files, rows: index.listed.reduce((sum, { rows }) => sum + rows, 0) }
  } catch (error) {
    zip.close()
    throw error
  }
}
