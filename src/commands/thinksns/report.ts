import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Brought } from '#modules/ledger/index.ts'
import type { Db } from '#platform/database.ts'
import { listReasons, listTotals, readNotes } from '#platform/database-import/state.ts'

type Print = (line: string) => void
export type LeftTable = { table: string; rows: number; reason: string }

const number = (value: number) => value.toLocaleString('en')

/** What became of every row of every table: source rows = imported + merged + left out. */
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
    [['table', 'source rows', 'imported', 'merged', 'left out', 'of them mended'], ...rows, ['all', ...sums]],
    print,
  )
}

export type Money = Brought & { source: number }

/** What people owned there and own here. False when it is not the same. */
export function printMoney(money: Money[], print: Print): boolean {
  printTable(
    [
      [
        'money',
        'in the source',
        'not brought along',
        'brought along',
        'given back',
        'owned here',
        'waiting here',
      ],
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
      `People own another sum of ${currency} here than was brought along: something moved here meanwhile.`,
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

/** Why rows were merged, left out or mended, and how many each. */
export async function printReasons(sql: Db, left: LeftTable[], print: Print): Promise<void> {
  for (const { table, outcome, reason, n } of await listReasons(sql))
    print(`${table}: ${number(n)} ${outcome}: ${reason}`)
  for (const { table, rows, reason } of left)
    if (rows > 0) print(`${table}: ${number(rows)} left out: ${reason}`)
}

/** Writes a line of JSON for each row that is not here as it was. */
export async function writeReport(sql: Db, left: LeftTable[], money: Money[], path: string): Promise<void> {
  const file = createWriteStream(path)
  const write = async (line: object) => {
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  for (const each of await listTotals(sql)) await write({ total: each })
  for (const { table, rows, reason } of left)
    await write({ total: { table, rows, imported: 0, merged: 0, left_out: rows, mended: 0 }, reason })
  for (const each of money) await write({ money: each })
  for await (const notes of readNotes(sql)) for (const note of notes) await write(note)
  file.end()
  await finished(file)
}
