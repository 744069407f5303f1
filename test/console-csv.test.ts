import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvCell, csvOf } from '../console/src/areas/csv.ts'

const cellsOf = (table: string, separator: string) =>
  table
    .slice(1)
    .split(/[\r\n]+/)
    .flatMap((line) => line.split(separator))
    .map((cell) => cell.replace(/^[\s"]+/, ''))

const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫', '−']

test('writes no cell that a spreadsheet evaluates as a formula', () => {
  for (const sign of signs)
    for (const before of [
      '',
      ' ',
      '\t',
      '\r',
      '\n',
      '\u3000',
      '"',
      'a;',
      'a; ',
      'a,',
      'a\t',
      'a|',
      'a\r\n',
      'a;"',
      '\u200b',
    ]) {
      const table = csvOf([['x', `${before}${sign}cmd|' /C calc'!A0`, 'y']])
      for (const separator of [',', ';', '\t', '|'])
        for (const cell of cellsOf(table, separator))
          assert.ok(
            !signs.includes(cell.replaceAll('\u200b', '')[0] ?? ''),
            JSON.stringify([before, sign, separator, cell]),
          )
    }
})

test('quotes cells with separators, quotes or leading tabs, but not numbers, names or addresses', () => {
  for (const text of ['', '7', '-7', '-7.25', 'ann', 'ann@example.com', '2026-11-23', 'a-b', '张三', '1 + 1'])
    assert.equal(csvCell(text), text)
  assert.equal(csvCell('a;b'), '"a;b"')
  assert.equal(csvCell('say "so"'), '"say ""so"""')
  assert.equal(csvCell('\tx'), '"\'\tx"')
})

test('escapes each part of a cell that starts a formula, and no sign within a part', () => {
  for (const [text, cell] of [
    ['a-b=c@d', 'a-b=c@d'],
    ['a -b', 'a -b'],
    [' =a', " '=a"],
    ['=a,+b; -c', `"'=a,'+b; '-c"`],
    ['a;; |@b', `"a;; |'@b"`],
  ] as const)
    assert.equal(csvCell(text), cell)
})

test('formats cells of separators and blanks in linear time', () => {
  // A quadratic scan would exceed the test timeout.
  for (const sign of ['\n', '\t', '\r\n', ' ', '"', ';', '\u200b', '\n ', '='])
    csvCell(`a${sign.repeat(200_000)}a`)
})
