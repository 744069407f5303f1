const OFFSET_MS = 8 * 3600_000

export const chineseTime = (at: Date): string =>
  new Date(at.getTime() + OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')

/**
 * Returns the time at which a provider publishes the statement of `day`, plus a margin of one hour. Providers
 * publish a statement at `hour` of the next day in China.
 */
export const statementReadyAt = (day: string, hour: number): Date =>
  new Date(Date.parse(`${day}T00:00:00+08:00`) + (24 + hour + 1) * 3600_000)

export function fenOf(yuan: unknown): number | undefined {
  const [, sign, whole, part = ''] = /^(-?)(\d{1,12})(?:\.(\d{1,2}))?$/.exec(String(yuan).trim()) ?? []
  if (whole === undefined) return undefined
  return (sign === '-' ? -1 : 1) * (Number(whole) * 100 + Number(part.padEnd(2, '0')))
}

export const yuanOf = (fen: number): string =>
  `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, '0')}`
