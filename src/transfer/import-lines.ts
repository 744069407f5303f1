import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { isTime } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import { compileInput, InputError, type Static, type TObject, Type } from '#platform/http'

const BATCH = 5000
/** Ends a batch early once its lines have this many files, because storing a file takes longer than a row. */
const FILE_BATCH = 50
const BYTES_MAX = 8 * 1024 * 1024
const LINE_MAX = 1024 * 1024

export type Line<T> = { number: number; value: T }

export type Batch<Forms extends Record<string, TObject>> = {
  [Kind in keyof Forms & string]: Line<Static<Forms[Kind]>>[]
}

export type ImportFault = { number: number; reason: string }

export type ImportSource = { hash: string; folder: string }

export type Importer<Forms extends Record<string, TObject>, Ready = unknown> = {
  name: string
  forms: Forms
  filesOf?(kind: string, value: object): number
  /**
   * Performs slow work such as storing files before the transaction. The lines of the returned faults are
   * skipped.
   */
  prepare(
    ctx: Context,
    lines: Batch<Forms>,
    source: ImportSource,
  ): Promise<{ ready: Ready; faults: ImportFault[] }>
  write(tx: Tx, lines: Batch<Forms>, ready: Ready, source: ImportSource): Promise<ImportFault[]>
}

export type ImportEvents = {
  fault(fault: ImportFault): void
  progress(share: number, lines: number): void
}

export type ImportOptions = {
  path: string
  folder: string
  /** Imports from the first line, instead of resuming an interrupted import. */
  again?: boolean
  batchLines?: number
}

type Read = { kind: string; value: object } | { reason: string }

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
        if (field.endsWith('_at') && !isTime(String(time))) return { reason: `${field} is not a valid time` }
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

function without<Forms extends Record<string, TObject>>(
  lines: Batch<Forms>,
  faults: ImportFault[],
): Batch<Forms> {
  if (faults.length === 0) return lines
  const left = new Set(faults.map(({ number }) => number))
  return Object.fromEntries(
    Object.entries(lines).map(([kind, list]) => [kind, list.filter(({ number }) => !left.has(number))]),
  ) as Batch<Forms>
}

/**
 * Imports a file with one JSON object per line. Stores the progress with each batch, so that an interrupted
 * import resumes and writes no line twice.
 */
export async function importLines<Forms extends Record<string, TObject>, Ready>(
  ctx: Context,
  importer: Importer<Forms, Ready>,
  { path, folder, again = false, batchLines = BATCH }: ImportOptions,
  events: ImportEvents,
): Promise<{ lines: number; kept: number; bad: number; resumedAt: number }> {
  const { size } = await stat(path)
  const source: ImportSource = { hash: await hashOf(path), folder }
  const { hash } = source
  const read = createReader(importer.forms)
  if (again) await forgetProgress(ctx.sql, hash, importer.name)
  const resumedAt = await findProgress(ctx.sql, hash, importer.name, false)
  let [number, done, bytes, written, bad] = [0, resumedAt, 0, 0, 0]
  let [waiting, files] = [0, 0]
  let faults: ImportFault[] = []
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

/** UTC time in ISO 8601 or in the API's time format. Defaults to the time of the import. */
export const ImportTime = Type.Optional(
  Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-[01]\\d-[0-3]\\d([T ][0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|\\+00)?)?$',
  }),
)

export function skipInvalid<T>(
  lines: Line<T>[],
  faults: ImportFault[],
  fault: (value: T, line: Line<T>) => string | undefined,
): Line<T>[] {
  return lines.filter((line) => {
    const reason = fault(line.value, line)
    if (reason !== undefined) faults.push({ number: line.number, reason })
    return reason === undefined
  })
}
