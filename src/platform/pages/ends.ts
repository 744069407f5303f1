import { newCaller, onBehalfOf } from '#platform/database/callers.ts'
import type { Sql } from '#platform/database.ts'

/** Who writes a table without Kith is seen after this long (docs/kept-pages.md). */
const LONGEST_MS = 60_000

/** No row has come to its end since `from`, and none does before `until`, by the clock of the process. */
type End = { clock: number; askedAt: number; from: number; until: number }

/** Knows until when what was read stays as it is although it depends on the time. */
export type Ends = {
  /** Whether none of these moments has come since something was read; false also where that is not known yet. */
  areOpen(moments: ReadonlySet<string>, readAt: number, now: number): boolean
}

/**
 * Finds the next of the moments at which rows of a table come to their end, such as pins: once, until the table is
 * written or that moment has come. What was read before the answer is not covered by it.
 */
export function createEnds(sql: Sql): Ends {
  const { generations } = sql
  const known = new Map<string, End>()
  const asked = new Set<string>()

  const isUnwritten = (table: string, { clock }: End) =>
    generations.lastWrite({ tables: new Set([table]) }).rows <= clock
  const isCurrent = (table: string, end: End, now: number) =>
    now < end.until && now - end.askedAt < LONGEST_MS && isUnwritten(table, end)

  /** Moments are written in statements of this code: `table.column where condition`. */
  const ask = async (moment: string) => {
    const [, table = '', column = '', where = ''] = /^(\w+)\.(\w+)( where .+)?$/.exec(moment) ?? []
    const [clock, askedAt] = [generations.clock(), performance.now()]
    const [row] = await sql.unsafe<{ left: number | null }[]>(
      `select (extract(epoch from min(t.${column}) - now()) * 1000)::float8 as left
       from (select ${column} from ${table}${where}) t where t.${column} > now()`,
    )
    const before = known.get(moment)
    const from = performance.now()
    known.set(moment, {
      clock,
      askedAt,
      // What was known goes on where nothing came in between.
      from: before && from < before.until && isUnwritten(table, before) ? before.from : from,
      until: row?.left == null ? Number.POSITIVE_INFINITY : askedAt + row.left,
    })
  }
  const refresh = (moment: string) => {
    if (asked.has(moment)) return
    asked.add(moment)
    // On nobody's behalf: it is no part of the page that is looked at.
    onBehalfOf(newCaller(), () => ask(moment))
      .catch(() => known.delete(moment))
      .finally(() => asked.delete(moment))
  }

  return {
    areOpen(moments, readAt, now) {
      let areAllOpen = true
      for (const moment of moments) {
        const end = known.get(moment)
        const isOpen = end !== undefined && isCurrent(moment.slice(0, moment.indexOf('.')), end, now)
        if (!isOpen) refresh(moment)
        areAllOpen &&= isOpen && readAt >= end.from
      }
      return areAllOpen
    },
  }
}
