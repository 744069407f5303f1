/** Matches separators, and characters that spreadsheets skip, before a sign that starts a formula. Full-width signs do too. */
const FORMULA =
  /(?<![;,|\s"'\u200b-\u200f\u2060\ufeff])[;,|\s"'\u200b-\u200f\u2060\ufeff]*(?=[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212])/g
const SEPARATOR = /[;,|\t\r\n]/
const NUMBER = /^-?\d+(\.\d+)?$/

/**
 * Formats a cell. Escapes formulas in every part, because a spreadsheet with a different separator may split the
 * cell.
 */
export function csvCell(text: string): string {
  if (NUMBER.test(text)) return text
  const safe = text.replace(FORMULA, (before, at: number) =>
    at === 0 || SEPARATOR.test(before) ? `${before}'` : before,
  )
  const plain = /^[\t\r\n]/.test(safe) ? `'${safe}` : safe
  return /[",;|\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Formats rows as CSV. The byte order mark makes spreadsheets read UTF-8. */
export const csvOf = (lines: string[][]): string =>
  `\ufeff${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`
