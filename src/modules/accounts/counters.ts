import { type CounterCheck, recount } from '#platform/counters.ts'
import type { Db, Fragment } from '#platform/database.ts'
import { ifGiven, partOf } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'

/** What other modules count of people: each its own column. */
export type PersonCount = Extract<
  keyof Tables['user_counts'],
  'likes_count' | 'comments_count' | 'feeds_count' | 'questions_count' | 'answers_count'
>

/**
 * Counts for people what a statement changed: an `update` that stands in a CTE of that statement, or at its end.
 * `changes` selects `user_id`, once each, and for each counter a column of its name that is added to it:
 * `select user_id, -1 as feeds_count from gone`. With `several` the people are locked in the order of their ids, so that
 * two statements about the same people wait for each other instead of deadlocking.
 */
export function countForPeople(
  sql: Db,
  counters: [PersonCount, ...PersonCount[]],
  changes: Fragment,
  { several = false }: { several?: boolean } = {},
): Fragment {
  const sums = counters.map((name) => sql`${sql(name)} = greatest(u.${sql(name)} + d.${sql(name)}, 0),`)
  const inOrder = sql`
    select d.* from user_counts k join (${changes}) d on d.user_id = k.user_id
    order by k.user_id for no key update of k`
  return sql`
    update user_counts u set ${sums} updated_at = now()
    from (${several ? inOrder : changes}) d where u.user_id = d.user_id`
}

/** Counts a check-in, as `countForPeople` does. `made` selects `user_id` and whether it `goes_on` from the day before. */
export const countCheckin = (sql: Db, made: Fragment): Fragment => sql`
  update user_counts u set checkin_count = u.checkin_count + 1, updated_at = now(),
    last_checkin_count = case when d.goes_on then u.last_checkin_count + 1 else 1 end
  from (${made}) d where u.user_id = d.user_id`

/** The recount of what a module counts of people. `counted` selects `key`, the person, and `n`. */
export const personRecount = (
  column: PersonCount | 'checkin_count',
  counted: (sql: Db) => Fragment,
): CounterCheck => recount({ table: 'user_counts', key: 'user_id', column, counted })

/**
 * The ids of people, those with most of something first and the earlier account first in a tie. Whoever never checked
 * in is not among those who did, and not in their index either.
 */
export async function listIdsByCount(
  sql: Db,
  counter: 'followers_count' | 'checkin_count',
  { limit = 15, offset, after }: { limit?: number; offset?: number; after?: number },
): Promise<number[]> {
  // The first condition is what the index begins by.
  const past = ifGiven(sql, after || undefined, (id) => {
    const last = sql`(select l.${sql(counter)} from user_counts l where l.user_id = ${id})`
    return sql`and c.${sql(counter)} <= ${last} and (c.${sql(counter)} < ${last} or c.user_id > ${id})`
  })
  const rows = await sql<{ id: number }[]>`
    select u.id from user_counts c join users u on u.id = c.user_id and u.deleted_at is null
    where ${counter === 'checkin_count' ? sql`c.checkin_count > 0` : sql`true`} ${past}
    order by c.${sql(counter)} desc, c.user_id ${partOf(sql, { limit, offset, after })}`
  return rows.map(({ id }) => id)
}

/** How many people somebody follows. */
export async function countFollowings(sql: Db, userId: number): Promise<number> {
  const [row] = await sql<{ followings_count: number }[]>`
    select followings_count from user_counts where user_id = ${userId}`
  return row?.followings_count ?? 0
}

/** The counters that this module keeps; likes, comments, feeds and the like belong to the modules they count. */
export const accountCounters: CounterCheck[] = [
  recount({
    table: 'user_counts',
    key: 'user_id',
    column: 'followers_count',
    counted: (sql) => sql`select target_id as key, count(*) as n from user_follows group by 1`,
  }),
  recount({
    table: 'user_counts',
    key: 'user_id',
    column: 'followings_count',
    counted: (sql) => sql`select user_id as key, count(*) as n from user_follows group by 1`,
  }),
]
