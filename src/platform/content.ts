import type { Context } from '#platform/context.ts'
import type { CounterCheck } from '#platform/counters.ts'
import type { Db, Fragment, Tx } from '#platform/database.ts'
import type { ApiTag } from '#platform/http/api-tags.ts'

/** One thing that people comment on, like, collect or report. */
export type Target = {
  id: number
  /** Who published it; 0 when nobody did (songs, albums). */
  ownerId: number
  /** Its first words, for notifications and reports. */
  contents: string
  /** It was published anonymously: nobody but its owner may learn from anything who that is. */
  hidden?: boolean
}

/** Whether the owner of a thing has to stay unknown to this viewer. */
export const hidesOwner = (target: Target, viewerId: number): boolean =>
  target.hidden === true && target.ownerId !== viewerId

/** What a content module tells the modules that are mounted on it of one kind of its things. */
export type Content = {
  /** The name of the kind on the wire and in tables (conventions-24), such as `feeds`. */
  type: string
  /** The path parameter that holds the id, such as `feed`. */
  param: string
  /** Names the operations that are mounted on the kind: `Feed` makes `likeFeed` and `listFeedComments`. */
  noun: string
  /** The area under which the routes are documented. */
  tag: ApiTag
  /** The thing, or undefined (404) when it is unknown, deleted or not for this viewer to see. */
  find(sql: Db, id: number, viewerId: number): Promise<Target | undefined>
  /**
   * `select id from … where id = ${id}` and is not deleted. The row is locked by what is done to the thing, so that
   * nothing is added to a thing that is being deleted, and nobody else's counter is lost.
   */
  live(sql: Db, id: number): Fragment
  /** Things of this kind can be published anonymously: `live` also selects `hidden`, as it is once the row is locked. */
  anonymous?: boolean
}

/**
 * Statements that keep the counters of the thing: they run with the change itself and read what changed from the common
 * table `changed (id, by)`, which has one row, or none when nothing changed. For example
 * `update songs s set comment_count = comment_count + c.by from changed c where s.id = c.id`. What the first returns, the
 * second reads from `content_count_0`, and so on.
 */
export type Counts = (sql: Db) => Fragment[]

/** The counter statements as further common tables of a `with`, each after a comma. */
export const countsOf = (sql: Db, counts: Counts | undefined): Fragment =>
  (counts?.(sql) ?? []).reduce<Fragment>(
    (all, count, index) => sql`${all}, ${sql(`content_count_${index}`)} as (${count})`,
    sql``,
  )

/** How lists that mix kinds read things of one kind; routes.ts hands a map of these by type. */
export type Reader = {
  /** Which of these the viewer may see. */
  visible(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /** The things as their own lists show them; what is deleted or hidden from the viewer is absent. */
  views(ctx: Context, ids: number[], viewerId: number): Promise<Map<number, object>>
  /** Which of these the viewer sees in full; absent: all that are visible. */
  readable?(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /** All see the same of these: `visible` and `readable` do not depend on the viewer. */
  open?: true
  /** What is done to such a thing is for those alone who may see it. */
  closed?: true
  /** Which of these were published anonymously; absent where nothing can be. */
  anonymous?(sql: Db, ids: number[]): Promise<Set<number>>
}

/** How moderators remove one kind of what people publish. */
export type Removal = {
  /** Who may: beside this, what is removed is in the audit log of who removes it. */
  ability: string
  /** Removes it with all that hangs on it, in the caller's transaction; 404 where it is gone already. */
  remove(ctx: Context, tx: Tx, id: number, moderatorId: number): Promise<void>
}

/** Something of a person's content that waits for their decision, since they last looked. */
export type PendingPins = { count: number; time: string | null }
export type FindPendingPins = (sql: Db, userId: number, since: string | null) => Promise<PendingPins>

/**
 * Everything the rest of Kith has to know of one kind of content. Each content module says it once, in kinds.ts;
 * src/content-kinds.ts lists them all, and the lists of readers, counters, checks and files follow from there.
 */
export type ContentKind = {
  /** The name of the kind on the wire and in tables (conventions-24). */
  type: string
  /** The integer that stands for it in notifications (notifications-2): never changed, never used again. */
  code: number
  reader: Reader
  /** Recounts of the counters that are kept about it and what belongs to it. */
  counters?: CounterCheck[]
  /** What has to hold between what was paid about it and what the ledger says. */
  paymentChecks?: CounterCheck[]
  /** The uses of files that only those may see who may see the content, with the ability of those who may besides. */
  files?: Record<string, string>
  /** Moderators may remove it when it is reported. */
  removal?: Removal
  /** A feed may repost it. */
  repostable?: true
  /** Pins that wait for their owner's decision, by the name of their counter. */
  pendingPins?: Record<string, FindPendingPins>
}

/** The readers of all kinds, by type. */
export const readersOf = (kinds: readonly ContentKind[]): Readers =>
  Object.fromEntries(kinds.map(({ type, reader }) => [type, reader]))

/** The kinds, once it is certain that no name, code or file use is claimed twice. Throws at the start otherwise. */
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

const mounted = new WeakMap<object, Set<string>>()

/** Remembers that a shared behaviour, such as comments, was mounted on a kind of content. */
export function noteMounted(ctx: object, { type }: Content): void {
  const types = mounted.get(ctx) ?? new Set()
  mounted.set(ctx, types.add(type))
}

/** Throws, at the start, when something was mounted on a kind that is not among those that Kith knows. */
export function requireKinds(ctx: object, kinds: readonly ContentKind[]): void {
  for (const type of mounted.get(ctx) ?? [])
    if (!kinds.some((kind) => kind.type === type))
      throw new Error(`Routes are mounted on ${type}, which src/content-kinds.ts does not list`)
}

const codes = new Map<string, number>()

/** The integer that stands for a kind of content in notifications. */
export const contentCode = (type: string): number | undefined => codes.get(type)

/** The kinds that are known to a mixed list, by type. */
export type Readers = Record<string, Reader>

/** Reads what the references point to, one batch for each type, all at once; keyed by `type/id`. */
export async function readContent(
  ctx: Context,
  readers: Readers,
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

/** Which of the references the viewer may see, as `type/id`. */
export async function seeContent(
  sql: Db,
  readers: Readers,
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

/** Which of the references were published anonymously, as `type/id`. */
export async function findAnonymous(
  sql: Db,
  readers: Readers,
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
 * A page of what others did to somebody's things, without what is on closed things that they may not see (any more). It
 * is filled from what follows, so that a short page still means the end.
 */
export async function listReceived<Row extends { id: number }>(
  sql: Db,
  readers: Readers,
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
    const seen = await seeContent(sql, readers, closed, viewerId)
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
