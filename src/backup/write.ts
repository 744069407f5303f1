import { createHash } from 'node:crypto'
import type { DatabaseAddress, Db } from '#platform/database'
import { present, type Storage } from '#platform/files'
import { VERSION } from '#platform/version.ts'
import { type AddEntry, writeArchive } from './archive.ts'
import {
  type DumpedTable,
  dumpTable,
  listTables,
  openDumpSession,
  readLevel,
  readSequences,
  type SchemaLevel,
} from './dump.ts'

export type BackupHead = SchemaLevel & {
  format: 1
  version: string
  made_at: string
  tables: DumpedTable[]
}

export type BackupEnd = {
  entries: number
  checksums: string
  rows: Record<string, number>
  sequences: { name: string; value: string }[]
  files: number
  /** Number of uploads whose stored file is missing. */
  missing: number
}

const CHECKSUMS_AT_ONCE = 1000

export type BackupSource = {
  connection: DatabaseAddress
  storage: Storage
  /** App secret, which decrypts sealed values of the database. */
  appSecret: string
  signal?: AbortSignal | undefined
}

/** Streams a backup from one database snapshot while the site keeps serving. `onEnd` receives the totals. */
export async function* writeBackup(
  { connection, storage, appSecret, signal }: BackupSource,
  onEnd: (end: BackupEnd) => void,
): AsyncGenerator<Buffer> {
  const { sql, client, end: close } = await openDumpSession(connection)
  const end: BackupEnd = { entries: 0, checksums: '', rows: {}, sequences: [], files: 0, missing: 0 }
  const all = createHash('sha256')
  let lines: string[] = []
  let lists = 0
  const fill = async (write: AddEntry) => {
    const add: AddEntry = async (name, size, body) => {
      signal?.throwIfAborted()
      const sum = await write(name, size, body)
      lines.push(`${sum}  ${name}\n`)
      end.entries += 1
      if (lines.length >= CHECKSUMS_AT_ONCE) await addChecksums()
      return sum
    }
    const addBytes = (name: string, bytes: Buffer) => add(name, bytes.length, [bytes])
    const addChecksums = async () => {
      lists += 1
      const bytes = Buffer.from(lines.join(''))
      lines = []
      all.update(bytes)
      await write(`checksums/${String(lists).padStart(6, '0')}`, bytes.length, [bytes])
    }
    await sql.unsafe('begin isolation level repeatable read, read only')
    const tables = await listTables(sql)
    const head: BackupHead = {
      format: 1,
      version: VERSION,
      made_at: new Date().toISOString(),
      ...(await readLevel(sql)),
      tables,
    }
    await addBytes('backup.json', Buffer.from(JSON.stringify(head)))
    await addBytes('app-secret', Buffer.from(`${appSecret}\n`))
    for (const table of tables) {
      end.rows[table.name] = 0
      let part = 0
      const count = (rows: number) => {
        end.rows[table.name] = (end.rows[table.name] ?? 0) + rows
      }
      for await (const bytes of dumpTable(client, table, count)) {
        part += 1
        await addBytes(`database/${table.name}/${String(part).padStart(6, '0')}.gz`, bytes)
      }
    }
    for await (const files of listFiles(sql)) {
      for (const { key } of files) {
        const found = await present(storage.open(key))
        if (found) {
          end.files += 1
          await add(`uploads/${key}`, found.size, found.stream as AsyncIterable<Buffer>)
        } else end.missing += 1
      }
    }
    // Reads sequences last. The snapshot does not cover them, and a value lower than a dumped id would cause
    // duplicate ids after a restore.
    end.sequences = await readSequences(sql)
    await sql.unsafe('commit')
    if (lines.length > 0) await addChecksums()
    end.checksums = all.digest('hex')
    const bytes = Buffer.from(JSON.stringify(end))
    await write('end.json', bytes.length, [bytes])
  }
  try {
    yield* writeArchive(fill)
    onEnd(end)
  } finally {
    close()
  }
}

const FILES_AT_ONCE = 500

async function* listFiles(sql: Db): AsyncGenerator<{ key: string }[]> {
  for (let last = 0; ; ) {
    const files = await sql<{ id: number; key: string }[]>`
      select id, storage_key as key from files where id > ${last} order by id limit ${FILES_AT_ONCE}`
    if (files.length > 0) yield files
    if (files.length < FILES_AT_ONCE) return
    last = files.at(-1)?.id ?? last
  }
}
