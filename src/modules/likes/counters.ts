import { type CounterCheck, type Drift, recount } from '#contracts/counters.ts'
import { userRecount } from '#modules/accounts/index.ts'
import type { Db, Fragment } from '#platform/database'

const countByOwner = (sql: Db): Fragment => sql`
  select target_user as key, count(*) as n from likes where target_user > 0 and counted group by target_user`

const countByContent = (sql: Db, type: string): Fragment => sql`
  select likeable_id as key, count(*) as n from likes where likeable_type = ${type} group by likeable_id`

/** Counter check of the likes that users received. */
export const likeCounters: CounterCheck[] = [userRecount('likes_count', countByOwner)]

/** Counter check of a content module's own like counter, in its `table`. */
export const likesRecount = (
  type: string,
  counter: { table: string; key: string; column: string },
): CounterCheck => recount({ ...counter, counted: (sql) => countByContent(sql, type) })

/**
 * Counter check of likes per owner, which excludes content with a hidden owner. `owned` selects `id` and
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
