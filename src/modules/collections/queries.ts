import { type Content, type Counts, countsOf } from '#platform/content.ts'
import type { Db, Fragment } from '#platform/database.ts'
import type { Flag } from '#platform/pages/overlay.ts'
import { andPast, andPastRow, partOf } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'

/** Something a person keeps for later. `id` is that of the record, not of the content. */
export type CollectionRow = Row<
  'collections',
  'id' | 'user_id' | 'collectible_type' | 'collectible_id' | 'created_at'
>

type Outcome = { found: boolean; changed: boolean }

/** Collects content once, counting it only if this call did it. */
export async function insertCollection(
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

/** Takes content out of a person's collection, and only of theirs. */
export async function deleteCollection(
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

/** Takes content that is deleted itself out of everybody's collection. */
export async function deleteCollectionsOf(sql: Db, type: string, contentIds: number[]): Promise<void> {
  await sql`delete from collections where collectible_type = ${type} and collectible_id = any(${contentIds})`
}

export type CollectionPage = {
  type: string
  userId: number
  limit: number
  /** `record` (unless given): newest collected first. `content`: by the id of the content. */
  order?: 'record' | 'content'
  /** Strictly before this id: of the record or of the content, as the order says. */
  after?: number
  /** Strictly before this content, in the order of records. */
  afterContent?: number | undefined
  offset?: number
}

/** `and` beyond this content among the rows `c` of what a person collected, by when. */
export const pastCollected = (sql: Db, type: string, userId: number, after = 0): Fragment =>
  andPastRow(
    sql,
    after,
    sql`c.id`,
    sql`select id from collections where user_id = ${userId} and collectible_type = ${type} and collectible_id = ${after}`,
  )

/** What a person collected of one kind; content modules put their lists together from it. */
export const listCollected = (sql: Db, page: CollectionPage) => {
  const { type, userId, limit, after = 0, afterContent, offset } = page
  const key = page.order === 'content' ? sql`c.collectible_id` : sql`c.id`
  return sql<CollectionRow[]>`
    select id, user_id, collectible_type, collectible_id, created_at from collections c
    where user_id = ${userId} and collectible_type = ${type}
      ${andPast(sql, key, after)} ${pastCollected(sql, type, userId, afterContent)}
    order by ${key} desc ${partOf(sql, { limit, offset, after: after || afterContent })}`
}

/** What of this content a person has collected; nothing for a guest. */
export async function findCollected(
  sql: Db,
  type: string,
  contentIds: number[],
  userId: number,
): Promise<Set<number>> {
  if (userId === 0 || contentIds.length === 0) return new Set()
  // One look-up for each: with `= any` the plan walks through all that the person has ever collected.
  const rows = await sql<{ id: number }[]>`
    select id from unnest(${contentIds}::bigint[]) as given (id)
    where coalesce((
      select true from collections c
      where c.user_id = ${userId} and c.collectible_type = ${type} and c.collectible_id = given.id
    ), false)`
  return new Set(rows.map((row) => row.id))
}

/** Whether a person has collected the content with the id of another statement; false for a guest. */
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

/** What a person has collected of one kind: a query of `id` and `collectible_id`. */
export const collectedBy = (sql: Db, type: string, userId: number): Fragment => sql`
  select id, collectible_id from collections where user_id = ${userId} and collectible_type = ${type}`

/** The flag of content of a kind that the viewer has collected. */
export const isCollectedBy =
  (type: string): Flag =>
  (sql, viewer, id) =>
    isCollected(sql, type, id, viewer)
