import type { CounterCheck } from '#contracts/counters.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import type { ApiTag } from '#platform/http'

export type Target = {
  id: number
  /** Author; 0 without one (songs, albums). */
  ownerId: number
  contents: string
  /** Published anonymously. No reply may reveal the author to others. */
  hidden?: boolean
  /** Hidden from strangers. Notifications to outsiders must not name its users. */
  closed?: boolean
}

export const hidesOwner = (target: Target, viewerId: number): boolean =>
  target.hidden === true && target.ownerId !== viewerId

export type Content = {
  /** Name of the kind on the wire and in tables (conventions-24), such as `feeds`. */
  type: string
  param: string
  /** Prefix of mounted operations: `Feed` makes `likeFeed` and `listFeedComments`. */
  noun: string
  tag: ApiTag
  /** Returns undefined (404) for content that is unknown, deleted or hidden from this viewer. */
  find(sql: Db, id: number, viewerId: number): Promise<Target | undefined>
  /**
   * `select id from … where id = ${id}` of content that is not deleted. The caller locks the row, so that
   * nothing is added to content under deletion and no counter update is lost.
   */
  live(sql: Db, id: number): Fragment
  /** Whether things of this kind can be anonymous. Then `live` also selects `hidden`, as of the lock. */
  anonymous?: boolean
}

/**
 * Statements that update the counters of the content. They run with the change and read the common table
 * `changed (id, by)`, which has one row or none. For example `update songs s set comment_count =
 * comment_count + c.by from changed c where s.id = c.id`. The first statement's rows are `content_count_0` to
 * the second, and so on.
 */
export type Counts = (sql: Db) => Fragment[]

export const countsOf = (sql: Db, counts: Counts | undefined): Fragment =>
  (counts?.(sql) ?? []).reduce<Fragment>(
    (all, count, index) => sql`${all}, ${sql(`content_count_${index}`)} as (${count})`,
    sql``,
  )

/** Reads content of one kind for mixed lists. `Site.readers` maps the readers by type. */
export type ContentReader = {
  visible(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /**
   * Returns the same views as the kind's own lists, without content that is deleted or hidden from the
   * viewer.
   */
  views(ctx: Context, ids: number[], viewerId: number): Promise<Map<number, object>>
  /** Returns the ids that the viewer sees in full. Default: all visible ones. */
  readable?(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /** Whether every viewer sees the same content, so that `visible` and `readable` ignore the viewer. */
  open?: true
  /** Whether activity is shown only to users who can see the content. */
  closed?: true
  /** Returns the ids of anonymous content. Absent for kinds without anonymity. */
  anonymous?(sql: Db, ids: number[]): Promise<Set<number>>
}

export type ContentRemoval = {
  /** Required ability. The audit log records the removal as well. */
  ability: string
  /** Removes the content and its dependents in the caller's transaction. Throws 404 if it is already gone. */
  remove(ctx: Context, tx: Tx, id: number, moderatorId: number): Promise<void>
}

/** Pending requests for a content owner, counted since their last visit. */
export type PendingPins = { count: number; time: string | null }
export type FindPendingPins = (sql: Db, userId: number, since: string | null) => Promise<PendingPins>

/**
 * Declaration of one kind of content, in `kinds` of its module.ts. Readers,
 * counters, checks and file access derive from it.
 */
export type ContentKind = {
  /** Name of the kind on the wire and in tables (conventions-24). */
  type: string
  /** Integer of the kind in notifications (notifications-2). Never change or reuse it. */
  code: number
  reader: ContentReader
  counters?: CounterCheck[]
  paymentChecks?: CounterCheck[]
  /** File uses restricted to viewers of the content. Each names the ability that also grants access. */
  files?: Record<string, string>
  removal?: ContentRemoval
  repostable?: true
  pendingPins?: Record<string, FindPendingPins>
}

export const readersOf = (kinds: readonly ContentKind[]): ContentReaders =>
  Object.fromEntries(kinds.map(({ type, reader }) => [type, reader]))

export function contentKinds(kinds: readonly ContentKind[]): readonly ContentKind[] {
  const claims = kinds.flatMap(({ type, code, files, pendingPins }) => [
    `type ${type}`,
    `code ${code}`,
    ...Object.keys(files ?? {}).map((use) => `file use ${use}`),
    ...Object.keys(pendingPins ?? {}).map((name) => `counter ${name}`),
  ])
  const twice = claims.find((claim, index) => claims.indexOf(claim) !== index)
  if (twice) throw new Error(`Two kinds of content claim the ${twice}`)
  for (const { type, code } of kinds) codes.set(type, code)
  return kinds
}

const mountedTypes = defineState(() => new Set<string>())

/** Registers that a shared behaviour, such as comments, was mounted on a kind. */
export function registerMount(ctx: Context, { type }: Content): void {
  mountedTypes(ctx).add(type)
}

/** Throws at the start when a behaviour was mounted on an unlisted kind. */
export function requireMountedKinds(ctx: Context, kinds: readonly ContentKind[]): void {
  for (const type of mountedTypes(ctx))
    if (!kinds.some((kind) => kind.type === type))
      throw new Error(`Routes are mounted on ${type}, which no module.ts declares`)
}

const codes = new Map<string, number>()

export const contentCode = (type: string): number | undefined => codes.get(type)

export type ContentReaders = Record<string, ContentReader>

/** Reads references in parallel, one batch for each type; keyed by `type/id`. */
export async function readContent(
  ctx: Context,
  readers: ContentReaders,
  references: { type: string; id: number }[],
  viewerId: number,
): Promise<Map<string, object>> {
  const byType = Map.groupBy(references, ({ type }) => type)
  const batches = await Promise.all(
    [...byType].map(async ([type, found]) => {
      const views = await readers[type]?.views(ctx, [...new Set(found.map(({ id }) => id))], viewerId)
      return [...(views ?? [])].map(([id, view]) => [`${type}/${id}`, view] as const)
    }),
  )
  return new Map(batches.flat())
}

export async function findVisible(
  sql: Db,
  readers: ContentReaders,
  references: { type: string; id: number }[],
  viewerId: number,
): Promise<Set<string>> {
  const byType = Map.groupBy(references, ({ type }) => type)
  const batches = await Promise.all(
    [...byType].map(async ([type, found]) => {
      const seen = await readers[type]?.visible(sql, [...new Set(found.map(({ id }) => id))], viewerId)
      return [...(seen ?? [])].map((id) => `${type}/${id}`)
    }),
  )
  return new Set(batches.flat())
}

export async function findAnonymous(
  sql: Db,
  readers: ContentReaders,
  references: { type: string; id: number }[],
): Promise<Set<string>> {
  const byType = Map.groupBy(references, ({ type }) => type)
  const batches = await Promise.all(
    [...byType].map(async ([type, found]) => {
      const hidden = await readers[type]?.anonymous?.(sql, [...new Set(found.map(({ id }) => id))])
      return [...(hidden ?? [])].map((id) => `${type}/${id}`)
    }),
  )
  return new Set(batches.flat())
}

const ROUNDS = 10

/**
 * Returns a page of activity on a user's content, without closed content that the user may not see. Reads on
 * until the page is full, because clients take a short page for the last one.
 */
export async function listReceived<Row extends { id: number }>(
  sql: Db,
  readers: ContentReaders,
  viewerId: number,
  { after = 0, limit = 15 }: { after?: number; limit?: number },
  source: {
    list(after: number, limit: number): PromiseLike<Row[]>
    referenceOf(row: Row): { type: string; id: number }
  },
): Promise<Row[]> {
  const found: Row[] = []
  let cursor = after
  for (let round = 0; round < ROUNDS && found.length < limit; round += 1) {
    const wanted = limit - found.length
    const rows = await source.list(cursor, wanted)
    const closed = rows.map(source.referenceOf).filter(({ type }) => readers[type]?.closed)
    const seen = await findVisible(sql, readers, closed, viewerId)
    found.push(
      ...rows.filter((row) => {
        const { type, id } = source.referenceOf(row)
        return !readers[type]?.closed || seen.has(`${type}/${id}`)
      }),
    )
    if (rows.length < wanted) break
    cursor = rows.at(-1)!.id
  }
  return found
}
