/** A PostgreSQL timestamp of a UTC session (`2026-11-21 05:22:00.123456+00`) as `YYYY-MM-DD HH:MM:SS`. */
export function wireTime(pg: string): string {
  return pg.slice(0, 19)
}

/** A PostgreSQL timestamp of a UTC session as `YYYY-MM-DDTHH:MM:SSZ`, the form of topics and notifications. */
export function zuluTime(pg: string): string {
  return `${pg.slice(0, 10)}T${pg.slice(11, 19)}Z`
}

/** `wireTime` of a column that may be null. */
export function wireTimeOrNull(pg: string | null): string | null {
  return pg === null ? null : wireTime(pg)
}

/** `zuluTime` of a column that may be null. */
export function zuluTimeOrNull(pg: string | null): string | null {
  return pg === null ? null : zuluTime(pg)
}

/** A row with both of its times as the API writes them. */
export const withWireTimes = <Row extends { created_at: string; updated_at: string }>(row: Row): Row => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

/** A PostgreSQL timestamp of a UTC session as ISO 8601 with all it holds, to be read again as the same time. */
export function exactTime(pg: string): string {
  return `${pg.slice(0, 10)}T${pg.slice(11).replace(/\+00$/, '')}Z`
}

/** Whether a text that has the form `YYYY-MM-DD…` names a day and a time of day that exist. */
export function isTime(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(
    Number,
  )
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists && year > 0 && hour < 24 && minute < 60 && second < 60
}
