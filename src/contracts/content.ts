import type { CounterCheck } from '#contracts/counters.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import type { ApiTag } from '#platform/http'

export type Target = {
  id: number
  /** Author; 0 without one (songs, albums). */
  ownerId: number
  /** First words of its text, for notifications and reports. */
  contents: string
  /** Published anonymously: no reply may reveal the author to others. */
  hidden?: boolean
  /** Closed to strangers: notifications to outsiders may not name the people who act on it. */
  closed?: boolean
}

/** Returns whether the author must be hidden from this viewer. */
export const hidesOwner = (target: Target, viewerId: number): boolean =>
  target.hidden === true && target.ownerId !== viewerId

/** A kind of content for the modules that are mounted on it, such as comments. */
export type Content = {
  /** Name of the kind on the wire and in tables (conventions-24), such as `feeds`. */
  type: string
  param: string
  /** Prefix of mounted operations: `Feed` makes `likeFeed` and `listFeedComments`. */
  noun: string
  tag: ApiTag
  /** Returns the thing, or undefined (404) when it is unknown, deleted or hidden from this viewer. */
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
  /** Returns the things as their own lists show them, without those deleted or hidden from the viewer. */
  views(ctx: Context, ids: number[], viewerId: number): Promise<Map<number, object>>
  /** Returns the ids that the viewer sees in full; absent: all visible ones. */
  readable?(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /**
   * Whether visibility is the same for every viewer: `visible` and `readable` do not depend on the viewer.
   */
  open?: true
  /** Whether activity on such a thing is shown only to viewers of the thing. */
  closed?: true
  /** Returns the anonymous ids; absent for kinds without anonymity. */
  anonymous?(sql: Db, ids: number[]): Promise<Set<number>>
}

export type ContentRemoval = {
  /** Required ability. The audit log records the removal as well. */
  ability: string
  /** Removes the thing with its dependents in the caller's transaction; 404 when it is gone already. */
  remove(ctx: Context, tx: Tx, id: number, moderatorId: number): Promise<void>
}

/** An item that waits for the decision of a content owner, counted since their last visit. */
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
  /** Recounts of its counters and those of its dependents. */
  counters?: CounterCheck[]
  /** Consistency checks between its payments and the ledger. */
  paymentChecks?: CounterCheck[]
  /** File uses restricted to viewers of the content. Each names the ability that also grants access. */
  files?: Record<string, string>
  /** Lets moderators remove reported things. */
  removal?: ContentRemoval
  /** Whether a feed may repost it. */
  repostable?: true
  /** Pins that wait for the owner's decision, by counter name. */
  pendingPins?: Record<string, FindPendingPins>
}

/** Returns the readers of all kinds by type. */
export const readersOf = (kinds: readonly ContentKind[]): ContentReaders =>
  Object.fromEntries(kinds.map(({ type, reader }) => [type, reader]))

/** Checks that no name, code or file use is claimed twice, and throws at the start otherwise. */
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

/** Returns the integer of a kind in notifications. */
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

/** Returns the references visible to the viewer, as `type/id`. */
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

/** Returns the anonymous references, as `type/id`. */
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
