const HOUR = 13

/** True when a name such as `Asia/Shanghai` is a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Converts clock times of a zone (`2020-01-02 03:04:05`) to UTC. A skipped time becomes an hour later, a
 * repeated one the first. Returns null for an invalid time (`0000-00-00 …`).
 */
export function readClock(zone: string): (text: string | null) => string | null {
  // Caches by hour: millions of rows share a few thousand hours, and each lookup of zone rules takes
  // microseconds.
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
