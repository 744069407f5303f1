import { currentCaller, newCaller, onBehalfOf } from '#platform/database/callers.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { Flags } from './page.ts'

/** A flag of things that depends on who asks: a condition on the viewer and the id that a statement has as values. */
export type Flag = (sql: Db, viewer: Fragment, id: Fragment) => Fragment

/** What of a page depends on who asks. All of it is found by one statement; the rest of the page is everybody's. */
export type Overlay = {
  /** By the name that a flag has in the reply, which stands beside the `id` of the thing. */
  flags: Readonly<Record<string, Flag>>
  /** Conditions under which a viewer is shown something else than flags tell, and gets a page of their own. */
  unless: readonly ((sql: Db, viewer: Fragment) => Fragment)[]
  /** The page of somebody signed in has keys that the one of guests has not. */
  apart?: true
}

/** Puts what several modules know of their flags together. */
export const overlayOf = (...parts: (Partial<Overlay> & object)[]): Overlay => ({
  flags: Object.assign({}, ...parts.map(({ flags }) => flags ?? {})),
  unless: [...new Set(parts.flatMap(({ unless }) => unless ?? []))],
  ...(parts.some(({ apart }) => apart) ? { apart: true as const } : {}),
})

/** The ids of a page that have each of the flags. */
type Ids = ReadonlyMap<string, number[]>
/** The flags that are set for a viewer; undefined where the viewer's page is another one. */
type Found = Flags | undefined
type Question = { viewerId: number; ids: Ids }
type Waiting = Question & PromiseWithResolvers<Found>

/** How many statements for one kind of page are under way; who asks meanwhile is answered by the next, with others. */
const AT_ONCE = 2
const MOST = 32
const NO_FLAGS: Flags = new Map()

const asked = new WeakMap<Db, WeakMap<Overlay, (question: Question) => Promise<Found>>>()

/**
 * The flags that are set for a viewer; undefined where the viewer's page is another one. Those who ask while others'
 * flags are looked up share the next statement: it begins after each of them has asked.
 */
export async function findFlags(sql: Db, overlay: Overlay, viewerId: number, ids: Ids): Promise<Found> {
  if (ids.size === 0 && overlay.unless.length === 0) return NO_FLAGS
  // What one has to see of one's own writes decides which replica answers.
  if (currentCaller()?.replica) return (await ask(sql, overlay, [{ viewerId, ids }])).get(viewerId)
  const known = asked.get(sql) ?? new WeakMap()
  asked.set(sql, known)
  const find = known.get(overlay) ?? gather((questions) => ask(sql, overlay, questions))
  known.set(overlay, find)
  return find({ viewerId, ids })
}

function gather(answer: (questions: Question[]) => Promise<ReadonlyMap<number, Found>>) {
  const waiting: Waiting[] = []
  let underWay = 0
  const send = () => {
    const questions = waiting.splice(0, MOST)
    underWay += 1
    onBehalfOf(newCaller(), () => answer(questions))
      .then(
        (found) => {
          for (const { viewerId, resolve } of questions) resolve(found.get(viewerId))
        },
        (error) => {
          for (const { reject } of questions) reject(error)
        },
      )
      .finally(() => {
        underWay -= 1
        if (waiting.length > 0) send()
      })
  }
  return ({ viewerId, ids }: Question): Promise<Found> => {
    const same = waiting.find((each) => each.viewerId === viewerId && each.ids === ids)
    if (same) return same.promise
    const mine = { viewerId, ids, ...Promise.withResolvers<Found>() }
    waiting.push(mine)
    if (underWay < AT_ONCE) send()
    return mine.promise
  }
}

/** An array as the database reads it: the driver would look at each number. */
const list = (numbers: number[]) => `{${numbers.join()}}`

/** Finds the flags of several by one statement, whose text is the same for any number of them. */
async function ask(sql: Db, overlay: Overlay, questions: Question[]): Promise<Map<number, Found>> {
  const found = new Map<number, Map<string, Set<number>> | undefined>()
  for (const { viewerId } of questions) found.set(viewerId, new Map())
  const viewer = sql`asked.viewer`
  const parts: Fragment[] = overlay.unless.map(
    (condition) => sql`
      select '' as flag, asked.viewer, 0::bigint as id from unnest(${list([...found.keys()])}::bigint[]) as asked (viewer)
      where ${condition(sql, viewer)}`,
  )
  for (const [flag, isSet] of Object.entries(overlay.flags)) {
    const pairs = questions.flatMap(({ viewerId, ids }) =>
      (ids.get(flag) ?? []).map((id) => [viewerId, id] as const),
    )
    parts.push(sql`
      select ${flag}::text as flag, asked.viewer, asked.id
      from unnest(${list(pairs.map(([who]) => who))}::bigint[], ${list(pairs.map(([, id]) => id))}::bigint[])
        as asked (viewer, id)
      where ${isSet(sql, viewer, sql`asked.id`)}`)
  }
  const rows = await sql<{ flag: string; viewer: number; id: number }[]>`
    ${parts.map((part, at) => (at === 0 ? part : sql`union all ${part}`))}`
  for (const { flag, viewer: viewerId } of rows) if (flag === '') found.set(viewerId, undefined)
  for (const { flag, viewer: viewerId, id } of rows) {
    const flags = found.get(viewerId)
    if (!flags) continue
    const set = flags.get(flag)
    if (set) set.add(id)
    else flags.set(flag, new Set([id]))
  }
  return found
}
