/** Formats a UTC timestamp of PostgreSQL as `YYYY-MM-DD HH:MM:SS`. */
export function wireTime(pg: string): string {
  return pg.slice(0, 19)
}

/** Formats a UTC timestamp of PostgreSQL as `YYYY-MM-DDTHH:MM:SSZ`. */
export function zuluTime(pg: string): string {
  return `${pg.slice(0, 10)}T${pg.slice(11, 19)}Z`
}

export function wireTimeOrNull(pg: string | null): string | null {
  return pg === null ? null : wireTime(pg)
}

export function zuluTimeOrNull(pg: string | null): string | null {
  return pg === null ? null : zuluTime(pg)
}

export const withWireTimes = <Row extends { created_at: string; updated_at: string }>(row: Row): Row => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export function exactTime(pg: string): string {
  return `${pg.slice(0, 10)}T${pg.slice(11).replace(/\+00$/, '')}Z`
}

export function isTime(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(
    Number,
  )
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists && year > 0 && hour < 24 && minute < 60 && second < 60
}

const HOUR = 13

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Appends the UTC offset of a zone to its local times. A skipped time moves an hour forward, and a repeated
 * time means its first occurrence.
 */
export function readClock(zone: string): (text: string | null) => string | null {
  // Caches time zone offsets by hour, because millions of rows share a few thousand hours.
  const hours = new Map<string, string>()
  return (text) => {
    if (text === null || text.length < HOUR || text.startsWith('0000')) return null
    const hour = text.slice(0, HOUR)
    let offset = hours.get(hour)
    if (offset === undefined) {
      const [date = '', time = ''] = hour.split(' ')
      try {
        const first = Temporal.PlainDateTime.from(`${date}T${time}:00`).toZonedDateTime(zone)
        const same = first.toPlainDateTime().toString().startsWith(`${date}T${time}`)
        offset = same ? first.offset : first.subtract({ hours: 1 }).offset
      } catch {
        return null
      }
      if (hours.size > 100_000) hours.clear()
      hours.set(hour, offset)
    }
    return `${text.slice(0, 19)}${offset}`
  }
}
