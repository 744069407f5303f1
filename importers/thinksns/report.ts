import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import type { Db, Tx } from '#platform/database'
import { listReasons, listTotals, readNotes } from './database/state.ts'
import type { Decision } from './decisions.ts'
import { type ImportedBalance, listStatements } from './modules/ledger/balances.ts'
import type { UnreadColumns } from './unread.ts'

type Print = (line: string) => void
export type LeftTable = { table: string; rows: number; reason: string }

/** Printed words for the outcomes, whose names in the report file stay stable. */
const PRINTED: Record<string, string> = { 'left out': 'skipped', mended: 'changed' }

const number = (value: number) => value.toLocaleString('en')

export async function printTotals(sql: Db, known: string[], left: LeftTable[], print: Print): Promise<void> {
  const totals = new Map((await listTotals(sql)).map((each) => [each.table, each]))
  const rows = [
    ...known.map((table) => {
      const { rows = 0, imported = 0, merged = 0, left_out = 0, mended = 0 } = totals.get(table) ?? {}
      return [table, rows, imported, merged, left_out, mended]
    }),
    ...left.map(({ table, rows }) => [table, rows, 0, 0, rows, 0]),
  ]
  const sums = [1, 2, 3, 4, 5].map((at) => rows.reduce((sum, cells) => sum + Number(cells[at]), 0))
  printTable(
    [['table', 'source rows', 'imported', 'merged', 'skipped', 'changed'], ...rows, ['all', ...sums]],
    print,
  )
}

export type Money = ImportedBalance & { source: number }

export function printMoney(money: Money[], print: Print): boolean {
  printTable(
    [
      ['currency', 'in the source', 'skipped', 'imported', 'refunded', 'balances here', 'pending here'],
      ...money.map((each) => [
        each.currency,
        each.source,
        each.source - each.counted,
        each.counted,
        each.given_back,
        each.owned,
        each.waiting,
      ]),
    ],
    print,
  )
  const differing = money.filter(({ counted, given_back, owned }) => counted + given_back !== owned)
  for (const { currency } of differing)
    print(
      `The balances of ${currency} here differ from the imported and refunded amounts. They have changed since the import.`,
    )
  return differing.length === 0
}

function printTable(rows: (string | number)[][], print: Print): void {
  const lines = rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)))
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)))
  for (const line of lines)
    print(
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  '),
    )
}

export async function printReasons(sql: Db, left: LeftTable[], print: Print): Promise<void> {
  for (const { table, column, outcome, reason, n } of await listReasons(sql))
    print(
      `${table}: ${number(n)} ${PRINTED[outcome] ?? outcome}: ${column === null ? '' : `${column}: `}${reason}`,
    )
  for (const { table, rows, reason } of left)
    if (rows > 0) print(`${table}: ${number(rows)} skipped: ${reason}`)
}

/** Prints the open decisions among all. The report has all of them. */
export function printDecisions(all: Decision[], open: Decision[], print: Print): void {
  if (all.length > open.length)
    print(`${all.length - open.length} of ${all.length} decisions are confirmed already.`)
  if (open.length === 0) return
  print('Decisions to confirm with --accept FILE before --close, where FILE is the report:')
  for (const { id, rows, advice, examples } of open) {
    print(`  ${id}: ${number(rows)} rows, such as ${examples.map(({ row }) => row).join(', ')}`)
    print(`    ${advice}`)
  }
}

export function printFounders(founders: { id: number; name: string; enters: boolean }[], print: Print): void {
  const entering = founders.filter(({ enters }) => enters)
  const [first] = founders
  if (entering.length > 0)
    print(`Administrators who can sign in: ${entering.map(({ id, name }) => `${name} (${id})`).join(', ')}`)
  else
    print(
      first
        ? `No administrator can sign in. Restore the access of ${first.name} with \`kith admin reset-password ${first.id} --enable\`.`
        : 'The source has no founder. After `--close`, start the server, which creates one, or run `kith admin create NAME`.',
    )
}

export async function writeReport(
  tx: Tx,
  {
    left,
    unread,
    money,
    decisions,
  }: { left: LeftTable[]; unread: UnreadColumns[]; money: Money[]; decisions: Decision[] },
  path: string,
): Promise<void> {
  // A report that was killed half way does not replace an earlier one.
  const draft = `${path}.part`
  const file = createWriteStream(draft, { mode: 0o600 })
  const write = async (line: object) => {
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  for (const each of await listTotals(tx)) await write({ total: each })
  for (const { table, rows, reason } of left)
    await write({ total: { table, rows, imported: 0, merged: 0, left_out: rows, mended: 0 }, reason })
  for (const decision of decisions) await write({ decision })
  for (const each of unread) await write(each)
  for (const each of money) await write({ money: each })
  for await (const statements of listStatements(tx))
    for (const statement of statements) await write({ statement })
  for await (const notes of readNotes(tx)) for (const note of notes) await write(note)
  file.end()
  await finished(file)
  await rename(draft, path)
}
