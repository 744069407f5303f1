import { createHash } from 'node:crypto'
import type { JobsConnection } from '#platform/jobs.ts'
import { StorageError } from '#platform/storage/errors.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { VERSION } from '#platform/version.ts'
import {
  type DumpedTable,
  dumpTable,
  listTables,
  openPlain,
  readLevel,
  readSequences,
  type SchemaLevel,
} from './dump.ts'
import { tarEnd, tarEntry } from './tar.ts'

/** What stands at the beginning of a backup. */
export type BackupHead = SchemaLevel & {
  format: 1
  version: string
  made_at: string
  tables: DumpedTable[]
}

/** What stands at its end, when everything before is known. */
export type BackupEnd = {
  entries: number
  /** SHA-256 of all lists of checksums, one after the other. */
  checksums: string
  rows: Record<string, number>
  sequences: { name: string; value: string }[]
  files: number
  /** Files that the database knows and whose bytes are gone. */
  missing: number
}

/** So many checksums are kept before they are written down. */
const CHECKSUMS_AT_ONCE = 1000

/** What is to be backed up. */
export type BackupSource = {
  connection: JobsConnection
  storage: Storage
  /** What opens the secrets in the database. */
  appSecret: string
  signal?: AbortSignal
}

/**
 * The bytes of a backup: the database as it is at one moment, the files that it names, and the secret that opens it. The
 * site goes on meanwhile. `onEnd` is told what the backup holds.
 */
export async function* writeBackup(
  { connection, storage, appSecret, signal }: BackupSource,
  onEnd: (end: BackupEnd) => void,
): AsyncGenerator<Buffer> {
  const pool = openPlain(connection)
  const end: BackupEnd = { entries: 0, checksums: '', rows: {}, sequences: [], files: 0, missing: 0 }
  const all = createHash('sha256')
  let lines: string[] = []
  let lists = 0
  async function* entry(name: string, size: number, body: AsyncIterable<Buffer> | Iterable<Buffer>) {
    signal?.throwIfAborted()
    yield* tarEntry(name, size, body, (sum) => lines.push(`${sum}  ${name}\n`))
    end.entries += 1
    if (lines.length >= CHECKSUMS_AT_ONCE) yield* checksums()
  }
  const whole = (name: string, bytes: Buffer) => entry(name, bytes.length, [bytes])
  async function* checksums() {
    lists += 1
    const bytes = Buffer.from(lines.join(''))
    lines = []
    all.update(bytes)
    yield* tarEntry(`checksums/${String(lists).padStart(6, '0')}`, bytes.length, [bytes], () => {})
  }
  try {
    const sql = await pool.reserve()
    await sql.unsafe('begin isolation level repeatable read, read only')
    const tables = await listTables(sql)
    const head: BackupHead = {
      format: 1,
      version: VERSION,
      made_at: new Date().toISOString(),
      ...(await readLevel(sql)),
      tables,
    }
    yield* whole('backup.json', Buffer.from(JSON.stringify(head)))
    yield* whole('app-secret', Buffer.from(`${appSecret}\n`))
    for (const table of tables) {
      end.rows[table.name] = 0
      let part = 0
      const count = (rows: number) => {
        end.rows[table.name] = (end.rows[table.name] ?? 0) + rows
      }
      for await (const bytes of dumpTable(sql, table, count)) {
        part += 1
        yield* whole(`database/${table.name}/${String(part).padStart(6, '0')}.gz`, bytes)
      }
    }
    for await (const files of sql<{ key: string; mime: string }[]>`
      select storage_key as key, mime from files order by id`.cursor(500)) {
      for (const { key } of files) {
        const found = await storage.open(key).catch((error: unknown) => {
          if (error instanceof StorageError && error.fault === 'missing') return undefined
          throw error
        })
        if (found) {
          end.files += 1
          yield* entry(`uploads/${key}`, found.size, found.stream as AsyncIterable<Buffer>)
        } else end.missing += 1
      }
    }
    // Outside the snapshot, in which sequences are not: they may only be ahead of the rows.
    end.sequences = await readSequences(sql)
    await sql.unsafe('commit')
    sql.release()
    if (lines.length > 0) yield* checksums()
    end.checksums = all.digest('hex')
    const bytes = Buffer.from(JSON.stringify(end))
    yield* tarEntry('end.json', bytes.length, [bytes], () => {})
    yield tarEnd()
    onEnd(end)
  } finally {
    await pool.end({ timeout: 0 }).catch(() => {})
  }
}
