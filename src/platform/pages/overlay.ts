import type { Db, Fragment } from '#platform/database.ts'
import type { Flags } from './page.ts'

/** A flag of things that depends on who asks: for whom of these ids it is set, as a query of one column. */
export type Flag = (sql: Db, viewerId: number, ids: number[]) => Fragment

/** What of a page depends on who asks. All of it is found by one statement; the rest of the page is everybody's. */
export type Overlay = {
  /** By the name that a flag has in the reply, which stands beside the `id` of the thing. */
  flags: Readonly<Record<string, Flag>>
  /** Conditions under which a viewer is shown something else than flags tell, and gets a page of their own. */
  unless: readonly ((sql: Db, viewerId: number) => Fragment)[]
  /** The page of somebody signed in has keys that the one of guests has not. */
  apart?: true
}

/** Puts what several modules know of their flags together. */
export const overlayOf = (...parts: (Partial<Overlay> & object)[]): Overlay => ({
  flags: Object.assign({}, ...parts.map(({ flags }) => flags ?? {})),
  unless: [...new Set(parts.flatMap(({ unless }) => unless ?? []))],
  ...(parts.some(({ apart }) => apart) ? { apart: true as const } : {}),
})

/** The flags that are set for a viewer; undefined where the viewer's page is another one. */
export async function findFlags(
  sql: Db,
  overlay: Overlay,
  viewerId: number,
  ids: ReadonlyMap<string, number[]>,
): Promise<Flags | undefined> {
  const parts: Fragment[] = overlay.unless.map(
    (condition) => sql`select '' as flag, 0::bigint as id where ${condition(sql, viewerId)}`,
  )
  for (const [flag, find] of Object.entries(overlay.flags)) {
    const some = ids.get(flag)
    if (some)
      parts.push(sql`select ${flag} as flag, found.id from (${find(sql, viewerId, some)}) as found (id)`)
  }
  if (parts.length === 0) return new Map()
  const rows = await sql<{ flag: string; id: number }[]>`
    ${parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`))}`
  const found = new Map<string, Set<number>>()
  for (const { flag, id } of rows) {
    if (flag === '') return undefined
    const set = found.get(flag)
    if (set) set.add(id)
    else found.set(flag, new Set([id]))
  }
  return found
}
