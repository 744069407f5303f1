import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { compileInput, InputError } from '#platform/input.ts'
import { type Static, type TObject, Type } from '#platform/schema.ts'
import type { Row } from '#platform/tables.ts'

const BATCH = 5000
/** Lines with files are written in smaller batches: their files are kept first, which takes its time. */
const FILE_BATCH = 50
/** Nor are many long lines kept in memory. */
const BYTES_MAX = 8 * 1024 * 1024
const LINE_MAX = 1024 * 1024

/** One line of a file: its number, from 1, and what it holds. */
export type Line<T> = { number: number; value: T }

/** The lines of a batch by their kind. */
export type Batch<Forms extends Record<string, TObject>> = {
  [Kind in keyof Forms & string]: Line<Static<Forms[Kind]>>[]
}

/** Why a line was left out. */
export type Fault = { number: number; reason: string }

/** What is imported: the hash of the file, and the folder that the paths in it begin at. */
export type Source = { hash: string; folder: string }

/** How to import files of one area: the form of its lines by their field `kind`, and how a batch is written. */
export type Importer<Forms extends Record<string, TObject>, Ready = unknown> = {
  name: string
  forms: Forms
  /** How many files a line brings. */
  filesOf?(kind: string, value: object): number
  /** What has to be done before the transaction, such as keeping files; the lines of its faults are left out. */
  prepare(ctx: Context, lines: Batch<Forms>, source: Source): Promise<{ ready: Ready; faults: Fault[] }>
  /** Writes the lines of a batch in one transaction; answers those it left out. */
  write(tx: Tx, lines: Batch<Forms>, ready: Ready, source: Source): Promise<Fault[]>
}

export type ImportEvents = {
  fault(fault: Fault): void
  /** Called after each batch with the share of the file that is done, 0 to 1, and the lines. */
  progress(share: number, lines: number): void
}

export type ImportOptions = {
  path: string
  folder: string
  /** Begins with the first line even if the file was imported before; what is there already stays as it is. */
  again?: boolean
  /** How many lines are written at once. */
  batchLines?: number
}

type Read = { kind: string; value: object } | { reason: string }

/** Reads lines by their forms. */
function createReader(forms: Record<string, TObject>) {
  const compiled = new Map(Object.entries(forms).map(([kind, form]) => [kind, compileInput(form)]))
  const kinds = [...compiled.keys()].join(', ')
  return (text: string): Read => {
    if (text.length > LINE_MAX) return { reason: 'the line is too long' }
    let parsed: unknown
    try {
      parsed = JSON.parse(text)
    } catch {
      return { reason: 'this is not JSON' }
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
      return { reason: 'this is not a JSON object' }
    const { kind } = parsed as { kind?: unknown }
    const read = typeof kind === 'string' ? compiled.get(kind) : undefined
    if (!read) return { reason: `kind must be one of: ${kinds}` }
    const result = read(parsed)
    if ('value' in result) {
      const value = result.value as object
      for (const [field, time] of Object.entries(value))
        if (field.endsWith('_at') && !isTime(String(time))) return { reason: `${field} is no time` }
      return { kind: kind as string, value }
    }
    const { error } = result
    if (!(error instanceof InputError)) throw error
    return {
      reason: Object.values(error.fields)
        .map(([text]) => text?.en)
        .join(' '),
    }
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

const findProgress = async (sql: Db, hash: string, kind: string, lock: boolean) =>
  (
    await sql<Row<'import_progress', 'lines'>[]>`
      select lines from import_progress where file_hash = ${hash} and kind = ${kind} ${lock ? sql`for update` : sql``}`
  )[0]?.lines ?? 0

const forgetProgress = (sql: Db, hash: string, kind: string) => sql`
  delete from import_progress where file_hash = ${hash} and kind = ${kind}`

function without<Forms extends Record<string, TObject>>(lines: Batch<Forms>, faults: Fault[]): Batch<Forms> {
  if (faults.length === 0) return lines
  const left = new Set(faults.map(({ number }) => number))
  return Object.fromEntries(
    Object.entries(lines).map(([kind, list]) => [kind, list.filter(({ number }) => !left.has(number))]),
  ) as Batch<Forms>
}

/**
 * Imports a file of one JSON object a line. Lines are written in batches, each in one transaction with a note of how far
 * the file is done: stopped at any moment, the same command goes on from there, and no line is written twice. A line that
 * is wrong is reported and left out.
 */
export async function importLines<Forms extends Record<string, TObject>, Ready>(
  ctx: Context,
  importer: Importer<Forms, Ready>,
  { path, folder, again = false, batchLines = BATCH }: ImportOptions,
  events: ImportEvents,
): Promise<{ lines: number; kept: number; bad: number; resumedAt: number }> {
  const { size } = await stat(path)
  const source: Source = { hash: await hashOf(path), folder }
  const { hash } = source
  const read = createReader(importer.forms)
  if (again) await forgetProgress(ctx.sql, hash, importer.name)
  const resumedAt = await findProgress(ctx.sql, hash, importer.name, false)
  let [number, done, bytes, written, bad] = [0, resumedAt, 0, 0, 0]
  let [waiting, files] = [0, 0]
  let faults: Fault[] = []
  const empty = () =>
    Object.fromEntries(Object.keys(importer.forms).map((kind) => [kind, [] as Line<unknown>[]])) as Record<
      string,
      Line<unknown>[]
    >
  let batch = empty()

  const flush = async () => {
    if (waiting === 0) return
    const given = batch as Batch<Forms>
    const prepared = await importer.prepare(ctx, given, source)
    const wrong = [...faults, ...prepared.faults]
    const lines = without(given, prepared.faults)
    const end = number
    const left = await transaction(ctx.sql, async (tx) => {
      await tx`insert into import_progress (file_hash, kind) values (${hash}, ${importer.name}) on conflict do nothing`
      if ((await findProgress(tx, hash, importer.name, true)) !== done)
        throw new Error('this file is being imported by another command')
      const found = await importer.write(tx, lines, prepared.ready, source)
      await tx`
        update import_progress set lines = ${end}, bad = bad + ${wrong.length + found.length}, updated_at = now()
        where file_hash = ${hash} and kind = ${importer.name}`
      return found
    })
    done = end
    for (const fault of [...wrong, ...left].sort((a, b) => a.number - b.number)) {
      bad += 1
      events.fault(fault)
    }
    ;[batch, faults, waiting, files, written] = [empty(), [], 0, 0, bytes]
    events.progress(size === 0 ? 1 : Math.min(bytes / size, 1), done)
  }

  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    bytes += Buffer.byteLength(text) + 1
    if (number <= resumedAt) {
      written = bytes
      continue
    }
    waiting += 1
    if (text.trim() !== '') {
      const line = read(text)
      if ('reason' in line) faults.push({ number, reason: line.reason })
      else {
        batch[line.kind]?.push({ number, value: line.value })
        files += importer.filesOf?.(line.kind, line.value) ?? 0
      }
    }
    if (waiting === batchLines || files >= FILE_BATCH || bytes - written > BYTES_MAX) await flush()
  }
  await flush()
  return { lines: number, kept: number - resumedAt - bad, bad, resumedAt }
}

/** A time in a file: ISO 8601 or the wire's form, UTC; absent is now. */
export const ImportTime = Type.Optional(
  Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-[01]\\d-[0-3]\\d([T ][0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|\\+00)?)?$',
  }),
)

/** Keeps the lines that pass and notes why the others do not. */
export function sift<T>(
  lines: Line<T>[],
  faults: Fault[],
  fault: (value: T, line: Line<T>) => string | undefined,
): Line<T>[] {
  return lines.filter((line) => {
    const reason = fault(line.value, line)
    if (reason !== undefined) faults.push({ number: line.number, reason })
    return reason === undefined
  })
}
