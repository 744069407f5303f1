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
