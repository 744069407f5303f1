/**
 * Matches the start of a formula, after characters that spreadsheets skip. Includes full-width signs, which
 * spreadsheets also accept.
 */
const FORMULA =
  /(^|[;,|\t\r\n])([\s"'\u200b-\u200f\u2060\ufeff]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212])/g
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * Formats a cell. Escapes formulas in every part, because a spreadsheet with a different separator may split the
 * cell.
 */
export function csvCell(text: string): string {
  if (NUMBER.test(text)) return text
  const safe = text.replace(FORMULA, (_, before: string, skipped: string) => `${before}${skipped}'`)
  const plain = /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Formats rows as CSV. The byte order mark makes spreadsheets read UTF-8. */
export const csvOf = (lines: string[][]): string =>
  `\ufeff${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`
