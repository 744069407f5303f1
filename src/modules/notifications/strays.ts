import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { endings } from '#contracts/ending.ts'
import type { Db } from '#platform/database'
import { SYSTEM_NOTICES } from './system/notices.ts'
import { deleteUnreadWhere, type Withheld } from './withdrawal.ts'

const OF_DELETION = Object.entries(SYSTEM_NOTICES).flatMap(([type, { ofDeletion }]) =>
  ofDeletion ? [type] : [],
)

/** Number of unread notifications that one statement reads. */
const AT_ONCE = 5000

const MOST_DRIFTS = 100

type Unread = { user_id: number; seq: number; type: string; cause_type: string; cause_id: number }
type Reference = { type: string; id: number }

const keyOf = ({ type, id }: Reference) => `${type} ${id}`

/** Returns the keys of `references` that are deleted. */
async function findDeleted(sql: Db, references: readonly Reference[]): Promise<Set<string>> {
  const deleted = new Set<string>()
  for (const [type, found] of Map.groupBy(references, (each) => each.type)) {
    const live = endings().find((ending) => ending.type === type)?.live
    if (live === undefined) continue
    const ids = [...new Set(found.map(({ id }) => id))]
    const rows = await sql<{ id: number }[]>`select l.id from (${live(sql)}) l where l.id = any(${ids})`
    const left = new Set(rows.map(({ id }) => id))
    for (const id of ids) if (!left.has(id)) deleted.add(keyOf({ type, id }))
  }
  return deleted
}

/** Maps causes that belong to other content, such as comments, to that content. */
async function findContent(sql: Db, causes: readonly Reference[]): Promise<Map<string, Reference[]>> {
  const contents = new Map<string, Reference[]>()
  for (const [type, found] of Map.groupBy(causes, (each) => each.type)) {
    const on = endings().find((ending) => ending.type === type)?.on
    if (on === undefined) continue
    const ids = [...new Set(found.map(({ id }) => id))]
    const rows = await sql<{ id: number; content_type: string; content_id: number }[]>`
      select o.id, o.content_type, o.content_id from (${on(sql)}) o where o.id = any(${ids})`
    for (const { id, content_type, content_id } of rows) {
      const key = keyOf({ type, id })
      contents.set(key, [...(contents.get(key) ?? []), { type: content_type, id: content_id }])
    }
  }
  return contents
}

/** Returns those of `notices` whose cause is deleted, or belongs to deleted content. */
export async function aboutDeleted<N extends Pick<Unread, 'cause_type' | 'cause_id'>>(
  sql: Db,
  notices: readonly N[],
): Promise<N[]> {
  const causes = notices.map(({ cause_type, cause_id }) => ({ type: cause_type, id: cause_id }))
  const contents = await findContent(sql, causes)
  const deleted = await findDeleted(sql, [...causes, ...[...contents.values()].flat()])
  return notices.filter(({ cause_type, cause_id }) => {
    const key = keyOf({ type: cause_type, id: cause_id })
    return deleted.has(key) || contents.get(key)?.some((content) => deleted.has(keyOf(content)))
  })
}

/**
 * Walks all unread notifications in the order of user ids, and yields those about deleted content. Reads the content in
 * statements of its own, because a cluster does not join distributed tables with others.
 */
async function* walkStrays(sql: Db): AsyncGenerator<Unread[]> {
  const types = endings().map(({ type }) => type)
  for (let last = { user_id: 0, seq: 0 }; ; ) {
    const unread = await sql<Unread[]>`
      select n.user_id, n.seq, n.type, n.cause_type, n.cause_id
      from notifications n join notification_counts c on c.user_id = n.user_id and c.type = n.type and n.seq > c.read_seq
      where (n.user_id, n.seq) > (${last.user_id}, ${last.seq}) and n.cause_type = any(${types})
        and (n.type <> 'system' or n.data ->> 'type' <> all(${OF_DELETION}))
      order by n.user_id, n.seq limit ${AT_ONCE}`
    yield await aboutDeleted(sql, unread)
    if (unread.length < AT_ONCE) return
    last = unread.at(-1) ?? last
  }
}

/** Deletes unread notifications about deleted content, and yields those of one user after another. */
export async function* withdrawStrays(sql: Db): AsyncGenerator<Withheld[]> {
  for await (const strays of walkStrays(sql))
    for (const [user, rows] of Map.groupBy(strays, ({ user_id }) => user_id)) {
      const seqs = rows.map(({ seq }) => seq)
      yield await deleteUnreadWhere(sql, user, sql`n.seq = any(${seqs})`)
    }
}

export const strayNotifications: CounterCheck = {
  name: 'notifications about deleted content',
  async find(sql) {
    const drifts = new Map<string, Drift>()
    for await (const strays of walkStrays(sql)) {
      const inOrder = strays.toSorted((a, b) => a.user_id - b.user_id || a.type.localeCompare(b.type))
      for (const { user_id, type } of inOrder) {
        const key = `${user_id} ${type}`
        const kept = (drifts.get(key)?.kept ?? 0) + 1
        if (kept > 1 || drifts.size < MOST_DRIFTS) drifts.set(key, { key, kept, counted: 0 })
      }
    }
    return [...drifts.values()]
  },
  async mend(sql) {
    let mended = 0
    for await (const gone of withdrawStrays(sql)) mended += gone.length
    return mended
  },
}
