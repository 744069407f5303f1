import type { CounterCheck } from '#contracts/counters.ts'
import { fillPage } from '#lib/lists.ts'
import { type Context, defineState } from '#platform/context.ts'
import type { Db, Fragment, Tx } from '#platform/database'
import { notFound } from '#platform/errors.ts'

/** Maximum length in characters of an excerpt of content in notifications and reports. */
export const EXCERPT_LENGTH = 100

export type Target = {
  id: number
  /** User id of the author. 0 for content without an author, such as songs. */
  ownerId: number
  contents: string
  /** True for anonymous content, whose author must not appear in responses to other viewers. */
  hidden?: boolean
  /**
   * True for content with a restricted audience. Webhook events about the content must name no users, because
   * they would reveal members of the audience.
   */
  closed?: boolean
}

export const hidesOwner = (target: Target, viewerId: number): boolean =>
  target.hidden === true && target.ownerId !== viewerId

export type Content = {
  /** Name of the kind in the API and in tables, such as `feeds` (conventions-24). */
  type: string
  param: string
  /** Noun in operation ids, such as `Feed` in `likeFeed` and `listFeedComments`. */
  noun: string
  tag: string
  /**
   * Returns undefined for content that is deleted or hidden from the viewer. The request then fails with 404.
   */
  find(sql: Db, id: number, viewerId: number): Promise<Target | undefined>
  /**
   * Selects the id of content that is not deleted. Callers lock the row, so that no change races with a
   * deletion or another counter update.
   */
  live(sql: Db, id: number): Fragment
  anonymous?: boolean
  /** True for users, comments and chat messages, which have no `ContentKind`. */
  undeclared?: true
}

/**
 * Statements that update counters in the transaction of a change. They read the table expression `changed
 * (id, by)`, which has at most one row.
 */
export type Counts = (sql: Db) => Fragment[]

export const countsOf = (sql: Db, counts: Counts | undefined): Fragment =>
  (counts?.(sql) ?? []).reduce<Fragment>(
    (all, count, index) => sql`${all}, ${sql(`content_count_${index}`)} as (${count})`,
    sql``,
  )

export type ContentReader = {
  visible(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  views(ctx: Context, ids: number[], viewerId: number): Promise<Map<number, object>>
  /** Returns the ids of content that the viewer may read in full. Defaults to all visible content. */
  readable?(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  open?: true
  /** Returns the ids of content that is not deleted, regardless of its audience. Defaults to content visible to guests. */
  live?(sql: Db, ids: number[]): Promise<Set<number>>
  /** Returns the ids of content that its author hides from the viewer, also of deleted content (relations-8). */
  closedTo?(sql: Db, ids: number[], viewerId: number): Promise<Set<number>>
  /** Restricts comments and other activity on the content to users who may view the content. */
  closed?: true
  anonymous?(sql: Db, ids: number[]): Promise<Set<number>>
  /** Author whose blocks forbid a quote (relations-3). Undefined for anonymous content. */
  author?(sql: Db, id: number): Promise<number | undefined>
}

export type ContentRemoval = {
  ability: string
  /** Selects the `id` of the published content of a user that is not deleted. Absent for content that belongs to others too. */
  ofAuthor?(sql: Db, userId: number): Fragment
  remove(ctx: Context, tx: Tx, id: number, moderatorId: number): Promise<void>
}

export type PendingPins = { count: number; time: string | null }
export type FindPendingPins = (sql: Db, userId: number, since: string | null) => Promise<PendingPins>

export type ContentKind = {
  type: string
  /** Integer in stored notifications (notifications-2). Never change or reuse a code. */
  code: number
  reader: ContentReader
  /** Selects the `id` of all content of the kind that is not deleted. */
  live(sql: Db): Fragment
  /** Channel of its pins. Pins of its comments have the channel `<pinChannel>:comment`. */
  pinChannel?: string
  counters?: CounterCheck[]
  paymentChecks?: CounterCheck[]
  /** Maps each use of files to the ability that grants access even if the viewer may not read the content. */
  files?: Record<string, string>
  removal?: ContentRemoval
  repostable?: true
  pendingPins?: Record<string, FindPendingPins>
}

export const readersOf = (kinds: readonly ContentKind[]): ContentReaders =>
  Object.fromEntries(kinds.map(({ type, reader }) => [type, reader]))

export function contentKinds(kinds: readonly ContentKind[]): readonly ContentKind[] {
  const claims = kinds.flatMap(({ type, code, files, pinChannel, pendingPins }) => [
    `type ${type}`,
    `code ${code}`,
    ...Object.keys(files ?? {}).map((use) => `file use ${use}`),
    ...(pinChannel === undefined ? [] : [`pin channel ${pinChannel}`]),
    ...Object.keys(pendingPins ?? {}).map((name) => `counter ${name}`),
  ])
  const twice = claims.find((claim, index) => claims.indexOf(claim) !== index)
  if (twice) throw new Error(`Two kinds of content claim the ${twice}`)
  for (const { type, code } of kinds) codes.set(type, code)
  return kinds
}

const mountedTypes = defineState(() => new Set<string>())

export function registerMount(ctx: Context, { type, undeclared }: Content): void {
  if (!undeclared) mountedTypes(ctx).add(type)
}

/**
 * Registers that routes are mounted on a kind of content. Returns a function that finds the content or throws
 * 404.
 */
export function mountOn(ctx: Context, content: Content): (id: number, viewerId: number) => Promise<Target> {
  registerMount(ctx, content)
  return async (id, viewerId) => {
    const target = await content.find(ctx.sql, id, viewerId)
    if (!target) throw notFound()
    return target
  }
}

export function requireMountedKinds(ctx: Context, kinds: readonly ContentKind[]): void {
  for (const type of mountedTypes(ctx))
    if (!kinds.some((kind) => kind.type === type))
      throw new Error(`Routes are mounted on ${type}, which no module.ts declares`)
}

const codes = new Map<string, number>()

export const contentCode = (type: string): number | undefined => codes.get(type)

export type ContentReaders = Record<string, ContentReader>

/** Reads content of several types in parallel, in one batch per type. Keys of the result are `type/id`. */
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

/** Finds ids by one reader function per type. Elements of the result are `type/id`. */
async function findBy(
  references: { type: string; id: number }[],
  find: (type: string) => ((ids: number[]) => Promise<Set<number>>) | undefined,
): Promise<Set<string>> {
  const byType = Map.groupBy(references, ({ type }) => type)
  const batches = await Promise.all(
    [...byType].map(async ([type, found]) => {
      const ids = await find(type)?.([...new Set(found.map(({ id }) => id))])
      return [...(ids ?? [])].map((id) => `${type}/${id}`)
    }),
  )
  return new Set(batches.flat())
}

type References = { type: string; id: number }[]

export const findVisible = (sql: Db, readers: ContentReaders, references: References, viewerId: number) =>
  findBy(references, (type) => {
    const reader = readers[type]
    return reader && ((ids) => reader.visible(sql, ids, viewerId))
  })

const findClosed = (sql: Db, readers: ContentReaders, references: References, viewerId: number) =>
  findBy(references, (type) => {
    const closedTo = readers[type]?.closedTo
    return closedTo && ((ids) => closedTo(sql, ids, viewerId))
  })

export const findAnonymous = (sql: Db, readers: ContentReaders, references: References) =>
  findBy(references, (type) => {
    const anonymous = readers[type]?.anonymous
    return anonymous && ((ids) => anonymous(sql, ids))
  })

/**
 * Returns a page of activity on a user's content, without activity on closed content that the user may not
 * see.
 */
export function listReceived<Row extends { id: number }>(
  sql: Db,
  readers: ContentReaders,
  viewerId: number,
  { after = 0, limit = 15 }: { after?: number; limit?: number },
  source: {
    list(after: number, limit: number): PromiseLike<Row[]>
    referenceOf(row: Row): { type: string; id: number }
  },
): Promise<Row[]> {
  return fillPage({ after, limit }, source.list, async (rows) => {
    const about = rows.map(source.referenceOf)
    const [seen, closed] = await Promise.all([
      findVisible(
        sql,
        readers,
        about.filter(({ type }) => readers[type]?.closed),
        viewerId,
      ),
      findClosed(sql, readers, about, viewerId),
    ])
    return rows.filter((row) => {
      const { type, id } = source.referenceOf(row)
      const key = `${type}/${id}`
      return readers[type]?.closed ? seen.has(key) : !closed.has(key)
    })
  })
}
