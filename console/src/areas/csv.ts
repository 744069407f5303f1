/**
 * Characters that start a formula, after blanks, quotes and zero-width marks, which spreadsheets skip. Includes
 * full-width and small forms, which they treat alike.
 */
const FORMULA =
  /(^|[;,|\t\r\n])([\s"'\u200b-\u200f\u2060\ufeff]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212])/g
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * Formats a value as a cell. No part becomes a formula, even when a spreadsheet uses another separator and
 * splits the cell.
 */
export function csvCell(text: string): string {
  if (NUMBER.test(text)) return text
  const safe = text.replace(FORMULA, (_, before: string, skipped: string) => `${before}${skipped}'`)
  const plain = /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Formats lines of cells as CSV for spreadsheets. The byte order mark declares UTF-8. */
export const csvOf = (lines: string[][]): string =>
  `\ufeff${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`
