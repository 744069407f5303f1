import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { compileInput, InputError } from '#platform/input.ts'
import { type Static, type TObject, Type } from '#platform/schema.ts'

const BATCH = 2000
const LINE_MAX = 1024 * 1024

/** One line of a file: its number, from 1, and what it holds. */
export type Line<T> = { number: number; value: T }

/** Why a line was left out. */
export type Fault = { number: number; reason: string }

/** How to import files of one kind: the form of its lines by their field `kind`, and how a batch is written. */
export type Importer<Forms extends Record<string, TObject>> = {
  name: string
  forms: Forms
  /** Writes the lines of a batch in one transaction; answers those it left out. */
  write(tx: Tx, lines: { [Kind in keyof Forms & string]: Line<Static<Forms[Kind]>>[] }): Promise<Fault[]>
}

export type ImportEvents = {
  fault(fault: Fault): void
  /** Called after each batch with the share of the file that is done, 0 to 1, and the lines. */
  progress(share: number, lines: number): void
}

/** Reads the lines of a batch by their forms. */
function createReader(forms: Record<string, TObject>) {
  const compiled = new Map(Object.entries(forms).map(([kind, form]) => [kind, compileInput(form)]))
  const kinds = [...compiled.keys()].join(', ')
  return (text: string): { kind: string; value: unknown } | { reason: string } => {
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
    if ('value' in result) return { kind: kind as string, value: result.value }
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
    await sql<{ lines: number }[]>`
      select lines from import_progress where file_hash = ${hash} and kind = ${kind} ${lock ? sql`for update` : sql``}`
  )[0]?.lines ?? 0

/**
 * Imports a file of one JSON object a line. Lines are written in batches, each in one transaction with a note of how far
 * the file is done: stopped at any moment, the same command goes on from there, and no line is written twice. A line that
 * is wrong is reported and left out.
 */
export async function importLines<Forms extends Record<string, TObject>>(
  ctx: Context,
  importer: Importer<Forms>,
  path: string,
  events: ImportEvents,
): Promise<{ lines: number; kept: number; bad: number; resumedAt: number }> {
  const { size } = await stat(path)
  const hash = await hashOf(path)
  const read = createReader(importer.forms)
  const resumedAt = await findProgress(ctx.sql, hash, importer.name, false)
  let [number, done, bytes, bad] = [0, resumedAt, 0, 0]
  let batch: { number: number; text: string }[] = []

  const flush = async () => {
    if (batch.length === 0) return
    const lines = batch
    batch = []
    const faults: Fault[] = []
    const byKind = Object.fromEntries(
      Object.keys(importer.forms).map((kind) => [kind, [] as Line<unknown>[]]),
    )
    for (const { number: at, text } of lines) {
      if (text.trim() === '') continue
      const result = read(text)
      if ('reason' in result) faults.push({ number: at, reason: result.reason })
      else byKind[result.kind]?.push({ number: at, value: result.value })
    }
    const end = lines.at(-1)?.number ?? done
    const left = await transaction(ctx.sql, async (tx) => {
      await tx`insert into import_progress (file_hash, kind) values (${hash}, ${importer.name}) on conflict do nothing`
      if ((await findProgress(tx, hash, importer.name, true)) !== done)
        throw new Error('this file is being imported by another command')
      const found = await importer.write(tx, byKind as never)
      await tx`
        update import_progress set lines = ${end}, bad = bad + ${faults.length + found.length}, updated_at = now()
        where file_hash = ${hash} and kind = ${importer.name}`
      return found
    })
    done = end
    for (const fault of [...faults, ...left].sort((a, b) => a.number - b.number)) {
      bad += 1
      events.fault(fault)
    }
    events.progress(size === 0 ? 1 : Math.min(bytes / size, 1), done)
  }

  for await (const text of createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number += 1
    bytes += Buffer.byteLength(text) + 1
    if (number <= resumedAt) continue
    batch.push({ number, text })
    if (batch.length === BATCH) await flush()
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
