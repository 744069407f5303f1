const HOUR = 13

/** Whether a name such as `Asia/Shanghai` is a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Reads clock times of a zone (`2020-01-02 03:04:05`) as UTC. A time that a change of the clocks left out is taken an
 * hour later, one that it repeated as the first; what is no time (`0000-00-00 …`) is null.
 */
export function readClock(zone: string): (text: string | null) => string | null {
  // Millions of rows share a few thousand hours, and the zone's rules take microseconds each time.
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
