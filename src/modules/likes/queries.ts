import { type Content, type Counts, countsOf, type Target } from '#contracts/content.ts'
import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { hasBlocked, noBlockBetween, shownTo, updateUserCounters, userRecount } from '#modules/users/index.ts'
import { type Db, type Fragment, ifGiven, type Row, when } from '#platform/database'

export type LikeRow = Row<
  'likes',
  'id' | 'user_id' | 'target_user' | 'likeable_id' | 'likeable_type' | 'created_at'
>

const columns = (sql: Db) => sql`
  l.id, l.user_id, l.target_user, l.likeable_id, l.likeable_type, l.created_at`

type Outcome = { found: boolean; changed: boolean }

/**
 * Counts each new like for the content and, unless the owner is hidden, for the owner. `changed` holds the ids of
 * users with a new like, and `blocked` those whom the owner blocks. Ignores a block by a hidden owner, because a
 * rejection would reveal the owner.
 */
export async function insertLikes(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  { id, ownerId, hidden }: Target,
  userIds: number[],
): Promise<{ found: boolean; changed: number[]; blocked: number[] }> {
  const isBlocked = ownerId > 0 && !hidden ? hasBlocked(sql, sql`${ownerId}`, sql`u.id`) : sql`false`
  const [row] = await sql<[{ found: boolean; changed: number[]; blocked: number[] }]>`
    with likers as materialized (
      select u.id, ${isBlocked} as is_blocked from unnest(${userIds}::bigint[]) as u (id)
    ),
    target as (${content.live(sql, id)} for no key update),
    made as (
      insert into likes (likeable_type, likeable_id, user_id, target_user, counted)
      select ${content.type}, t.id, u.id, ${ownerId}::bigint, ${content.anonymous ? sql`not t.hidden` : sql`true`}
      from target t cross join likers u where not u.is_blocked
      on conflict do nothing returning likeable_id, user_id, target_user, counted
    ),
    changed (id, by) as (select likeable_id, count(*) from made group by likeable_id),
    owner as (
      ${updateUserCounters(
        sql,
        ['likes_count'],
        sql`select target_user as user_id, count(*) as likes_count from made where counted group by target_user`,
      )}
    ) ${countsOf(sql, count)}
    select exists (select from target) as found, coalesce((select array_agg(user_id) from made), '{}') as changed,
      coalesce((select array_agg(id) from likers where is_blocked), '{}') as blocked`
  return row
}

export async function deleteLike(
  sql: Db,
  content: Content,
  count: Counts | undefined,
  id: number,
  userId: number,
): Promise<Outcome> {
  const [row] = await sql<[Outcome]>`
    with target as (${content.live(sql, id)} for no key update),
    gone as (
      delete from likes l using target t
      where l.likeable_type = ${content.type} and l.likeable_id = t.id and l.user_id = ${userId}
      returning l.likeable_id, l.target_user, l.counted
    ),
    changed (id, by) as (select likeable_id, -1 from gone),
    owner as (
      ${updateUserCounters(sql, ['likes_count'], sql`select target_user as user_id, -1 as likes_count from gone where counted`)}
    ) ${countsOf(sql, count)}
    select exists (select from target) as found, exists (select from gone) as changed`
  return row
}

/** Maximum number of likes that one transaction deletes or transfers with their content. */
const CHANGED_AT_ONCE = 500

/**
 * Deletes some likes of deleted content. Returns whether others may be left, also if a concurrent transaction deleted
 * some of the chosen likes first.
 */
export async function deleteSomeLikes(sql: Db, type: string, contentIds: number[]): Promise<boolean> {
  const [row] = await sql<[{ chosen: number }]>`
    with chosen as materialized (
      select l.likeable_id, l.user_id from unnest(${contentIds}::bigint[]) as t (id) cross join lateral (
        select likeable_id, user_id from likes
        where likeable_type = ${type} and likeable_id = t.id order by id desc limit ${CHANGED_AT_ONCE}
      ) l limit ${CHANGED_AT_ONCE}
    ),
    gone as (
      delete from likes l using chosen c
      where l.likeable_type = ${type} and l.likeable_id = c.likeable_id and l.user_id = c.user_id
      returning l.target_user, l.counted
    ),
    owners as (
      ${updateUserCounters(
        sql,
        ['likes_count'],
        sql`select target_user as user_id, -count(*) as likes_count from gone where counted group by target_user`,
        { several: true },
      )}
    )
    select count(*)::int as chosen from chosen`
  return row.chosen === CHANGED_AT_ONCE
}

/**
 * Transfers some likes of deleted or restored content, newest first, and their counts, to another owner. Id 0 means
 * no owner. Returns the id of the last like that it looked at, or undefined after the oldest.
 */
export async function transferSomeLikes(
  sql: Db,
  { type, id }: { type: string; id: number },
  { from, to, before }: { from: number; to: number; before?: number | undefined },
): Promise<number | undefined> {
  const [row] = await sql<[{ seen: number; last: number | null }]>`
    with chosen as materialized (
      select l.likeable_id, l.user_id, l.id from likes l
      where l.likeable_type = ${type} and l.likeable_id = ${id} ${ifGiven(sql, before, (last) => sql`and l.id < ${last}`)}
      order by l.id desc limit ${CHANGED_AT_ONCE}
    ),
    moved as (
      -- Joins the id of the content too, because the planner would otherwise read all likes of the content.
      update likes l set target_user = ${to} from chosen c
      where l.likeable_type = ${type} and l.likeable_id = c.likeable_id and l.user_id = c.user_id
        and l.target_user = ${from}
      returning l.counted
    ),
    counted as (select count(*) as n from moved where counted),
    owners as (
      ${updateUserCounters(
        sql,
        ['likes_count'],
        sql`
          select o.user_id, o.sign * c.n as likes_count
          from counted c, (values (${from}::bigint, -1), (${to}::bigint, 1)) as o (user_id, sign) where c.n > 0`,
        { several: true },
      )}
    )
    select count(*)::int as seen, min(id) as last from chosen`
  return row.seen === CHANGED_AT_ONCE ? (row.last ?? undefined) : undefined
}

/**
 * Sets whether likes of the content count for its owner. Callers lock the content against concurrent likes.
 */
export async function setLikesCounted(
  sql: Db,
  type: string,
  contentId: number,
  counted: boolean,
): Promise<void> {
  await sql`
    with moved as (
      update likes set counted = ${counted}
      where likeable_type = ${type} and likeable_id = ${contentId} and counted <> ${counted}
      returning target_user
    )
    ${updateUserCounters(
      sql,
      ['likes_count'],
      sql`
        select target_user as user_id, ${counted ? sql`count(*)` : sql`-count(*)`} as likes_count
        from moved group by target_user`,
    )}`
}

type LikePage = { viewerId: number; after: number; limit: number }
export type LatestLikes = { type: string; contentIds: number[]; each: number; viewerId: number }

export const listLikes = (
  sql: Db,
  { type, contentId, after, limit, viewerId }: LikePage & { type: string; contentId: number },
) => sql<LikeRow[]>`
  select ${columns(sql)} from likes l
  where l.likeable_type = ${type} and l.likeable_id = ${contentId} ${when(sql, after > 0, () => sql`and l.id < ${after}`)}
    ${noBlockBetween(sql, viewerId, sql`l.user_id`)}
  order by l.id desc limit ${limit}`

export const listLatestLikes = (sql: Db, { type, contentIds, each, viewerId }: LatestLikes) => sql<LikeRow[]>`
  select l.* from unnest(${contentIds}::bigint[]) as t (id) cross join lateral (
    select ${columns(sql)} from likes l
    where l.likeable_type = ${type} and l.likeable_id = t.id ${noBlockBetween(sql, viewerId, sql`l.user_id`)}
    order by l.id desc limit ${each}
  ) l
  order by l.id desc`

export const listReceivedLikes = (sql: Db, { viewerId, after, limit }: LikePage) => sql<LikeRow[]>`
  select ${columns(sql)} from likes l
  where l.target_user = ${viewerId} and l.target_user > 0 and l.user_id <> ${viewerId}
    ${shownTo(sql, viewerId, sql`l.user_id`)}
    ${when(sql, after > 0, () => sql`and l.id < ${after}`)}
  order by l.id desc limit ${limit}`

export async function findLiked(
  sql: Db,
  type: string,
  contentIds: number[],
  userId: number,
): Promise<Set<number>> {
  if (userId === 0 || contentIds.length === 0) return new Set()
  const rows = await sql<{ likeable_id: number }[]>`
    select likeable_id from likes
    where likeable_type = ${type} and likeable_id = any(${contentIds}) and user_id = ${userId}`
  return new Set(rows.map((row) => row.likeable_id))
}

export const isLiked = (sql: Db, type: string, contentId: Fragment, userId: number | Fragment): Fragment =>
  userId === 0
    ? sql`false`
    : sql`coalesce((
        select true from likes where likeable_type = ${type} and likeable_id = ${contentId} and user_id = ${userId}
      ), false)`

const countByOwner = (sql: Db): Fragment => sql`
  select target_user as key, count(*) as n from likes where target_user > 0 and counted group by target_user`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select likeable_id as key, count(*) as n from likes where likeable_type = ${type} group by likeable_id`

export const likeCounters: CounterCheck[] = [userRecount('likes_count', countByOwner)]

export const likesRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })

/**
 * Checks that likes count for the owner of their content unless the owner is hidden. `owned` selects `id` and
 * `hidden`.
 */
export function ownerLikesCheck(type: string, owned: (sql: Db) => Fragment): CounterCheck {
  const wrong = (sql: Db) => sql`
    from (${owned(sql)}) o where l.likeable_type = ${type} and l.likeable_id = o.id and l.counted = o.hidden`
  return {
    name: 'likes.counted',
    find: async (sql) => [
      ...(await sql<Drift[]>`
        select l.id::text as key, l.counted::int as kept, (not l.counted)::int as counted
        from likes l cross join lateral (select 1 ${wrong(sql)}) o order by l.id limit 100`),
    ],
    mend: async (sql) => (await sql`update likes l set counted = not l.counted ${wrong(sql)}`).count,
  }
}
