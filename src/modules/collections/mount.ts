import { type Content, type Counts, countsOf, mountOn } from '#contracts/content.ts'
import { type CounterCheck, recount } from '#contracts/counters.ts'
import type { Context } from '#platform/context.ts'
import {
  andAfterCursor,
  andAfterRow,
  type Db,
  type Fragment,
  limitClause,
  type Row,
  transaction,
} from '#platform/database'
import { apiError, notFound } from '#platform/errors.ts'
import { Empty, Id, localizedMessage, Message, routesOn, type Server, Type } from '#platform/http'
import { deletionInBatches } from '#platform/jobs'

const collectedAlready = (status: number) =>
  apiError(status, 'already_collected', 'You have already collected this.', '你已经收藏过了。')

const notCollected = (status: number) =>
  apiError(status, 'not_collected', 'You have not collected this.', '你还没有收藏。')

export type CollectionRow = Row<
  'collections',
  'id' | 'user_id' | 'collectible_type' | 'collectible_id' | 'created_at'
>

type Outcome = { found: boolean; changed: boolean }

async function insertCollection(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  id: number,
  userId: number,
): Promise<Outcome> {
  const [row] = await sql<[Outcome]>`
    with target as (${content.live(sql, id)} for no key update),
    made as (
      insert into collections (user_id, collectible_type, collectible_id)
      select ${userId}::bigint, ${content.type}, id from target
      on conflict do nothing returning collectible_id
    ),
    changed (id, by) as (select collectible_id, 1 from made) ${countsOf(sql, count)}
    select exists (select from target) as found, exists (select from made) as changed`
  return row
}

async function deleteCollection(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  id: number,
  userId: number,
): Promise<Outcome> {
  const [row] = await sql<[Outcome]>`
    with target as (${content.live(sql, id)} for no key update),
    gone as (
      delete from collections c using target t
      where c.user_id = ${userId} and c.collectible_type = ${content.type} and c.collectible_id = t.id
      returning c.collectible_id
    ),
    changed (id, by) as (select collectible_id, -1 from gone) ${countsOf(sql, count)}
    select exists (select from target) as found, exists (select from gone) as changed`
  return row
}

/** Maximum number of collections that one transaction deletes with their content. */
const DELETED_AT_ONCE = 500

/** Returns whether others may be left, also if a concurrent transaction deleted some of the chosen rows first. */
async function deleteSome(sql: Db, type: string, contentIds: number[]): Promise<boolean> {
  const [row] = await sql<[{ chosen: number }]>`
    with chosen as materialized (
      select c.user_id, c.collectible_id from unnest(${contentIds}::bigint[]) as t (id) cross join lateral (
        select user_id, collectible_id from collections
        where collectible_type = ${type} and collectible_id = t.id limit ${DELETED_AT_ONCE}
      ) c limit ${DELETED_AT_ONCE}
    ),
    gone as (
      delete from collections c using chosen o
      where c.collectible_type = ${type} and c.collectible_id = o.collectible_id and c.user_id = o.user_id
    )
    select count(*)::int as chosen from chosen`
  return row.chosen === DELETED_AT_ONCE
}

export const { deleteOf: deleteCollectionsOf, tasks: collectionTasks } = deletionInBatches(
  'delete_collections',
  deleteSome,
)

type CollectionPage = {
  type: string
  userId: number
  limit: number
  /** Sorts by collection id (default) or by content id. */
  order?: 'record' | 'content'
  after?: number
  afterContent?: number | undefined
  offset?: number
  /** Condition on `c.collectible_id` that omits content hidden from the user. */
  seen?: Fragment
}

/** Continues a list of collections after the collection of the content with id `after`. */
export const andAfterCollected = (sql: Db, type: string, userId: number, after = 0): Fragment =>
  andAfterRow(
    sql,
    after,
    sql`c.id`,
    sql`select id from collections where user_id = ${userId} and collectible_type = ${type} and collectible_id = ${after}`,
  )

export const listCollected = (sql: Db, page: CollectionPage) => {
  const { type, userId, limit, after = 0, afterContent, offset } = page
  const key = page.order === 'content' ? sql`c.collectible_id` : sql`c.id`
  return sql<CollectionRow[]>`
    select id, user_id, collectible_type, collectible_id, created_at from collections c
    where user_id = ${userId} and collectible_type = ${type}
      ${andAfterCursor(sql, key, after)} ${andAfterCollected(sql, type, userId, afterContent)}
      ${page.seen ?? sql``}
    order by ${key} desc ${limitClause(sql, { limit, offset, after: after || afterContent })}`
}

export async function findCollected(
  sql: Db,
  type: string,
  contentIds: number[],
  userId: number,
): Promise<Set<number>> {
  if (userId === 0 || contentIds.length === 0) return new Set()
  // Looks up each content id, because `= any` makes PostgreSQL scan all collections of the user.
  const rows = await sql<{ id: number }[]>`
    select id from unnest(${contentIds}::bigint[]) as given (id)
    where coalesce((
      select true from collections c
      where c.user_id = ${userId} and c.collectible_type = ${type} and c.collectible_id = given.id
    ), false)`
  return new Set(rows.map((row) => row.id))
}

export const isCollected = (
  sql: Db,
  type: string,
  contentId: Fragment,
  userId: number | Fragment,
): Fragment =>
  userId === 0
    ? sql`false`
    : sql`coalesce((
        select true from collections
        where user_id = ${userId} and collectible_type = ${type} and collectible_id = ${contentId}
      ), false)`

export const selectCollected = (sql: Db, type: string, userId: number): Fragment => sql`
  select id, collectible_id from collections where user_id = ${userId} and collectible_type = ${type}`

export const collectionsRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck =>
  recount({
    ...counter,
    counted: (sql) => sql`
      select collectible_id as key, count(*) as n from collections
      where collectible_type = ${type} group by collectible_id`,
  })

type CollectionOptions = {
  create: string
  remove: string
  /** Response status for a duplicate collection. Default: the status for a new collection. */
  twice?: 400 | 422
  none?: 400 | 422
  count?: Counts
}

/** Mounts routes to add and remove collections. Each module lists its own collected content (feeds-22). */
export function mountCollections(
  server: Server,
  ctx: Context,
  content: Content,
  options: CollectionOptions,
): void {
  const find = mountOn(ctx, content)
  const { noun, param } = content
  const route = routesOn(server, ctx, { tag: content.tag })
  const Params = Type.Object({ [param]: Id })
  const twice = options.twice && collectedAlready(options.twice)
  const none = options.none && notCollected(options.none)

  route(`POST ${options.create}`, {
    operationId: `collect${noun}`,
    summary: 'Add to my collection',
    access: 'user',
    params: Params,
    reply: { 201: Message },
    errors: twice ? [twice] : [],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ request, loaded: { id }, viewer }) {
      const { found, changed } = await transaction(ctx.sql, (tx) =>
        insertCollection(tx, content, options.count, id, viewer.id),
      )
      if (!found) throw notFound()
      if (!changed && twice) throw twice()
      return localizedMessage(request, 'Collected.', '收藏成功。')
    },
  })

  route(`DELETE ${options.remove}`, {
    operationId: `uncollect${noun}`,
    summary: 'Remove from my collection',
    access: 'user',
    params: Params,
    reply: { 204: Empty },
    errors: none ? [none] : [],
    load: ({ params, viewer }) => find(params[param]!, viewer.id),
    async handler({ loaded: { id }, viewer }) {
      const { changed } = await transaction(ctx.sql, (tx) =>
        deleteCollection(tx, content, options.count, id, viewer.id),
      )
      if (!changed && none) throw none()
    },
  })
}
