import { type CounterCheck, recount } from '#contracts/counters.ts'
import { type Db, type Fragment, ifGiven, limitClause, type Tables } from '#platform/database'

export type PersonCount = Extract<
  keyof Tables['user_counts'],
  'likes_count' | 'comments_count' | 'feeds_count' | 'questions_count' | 'answers_count'
>

/**
 * `changes` selects one row per user, with `user_id` and an increment for each counter. For several users,
 * `several` locks the counters in the order of user ids, to avoid deadlocks.
 */
export function updateUserCounters(
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

/**
 * `made` selects the `user_id` of new check-ins, and `goes_on`, which is true for a user who also checked in
 * the day before.
 */
export const addCheckin = (sql: Db, made: Fragment): Fragment => sql`
  update user_counts u set checkin_count = u.checkin_count + 1, updated_at = now(),
    last_checkin_count = case when d.goes_on then u.last_checkin_count + 1 else 1 end
  from (${made}) d where u.user_id = d.user_id`

export const userRecount = (
  column: PersonCount | 'checkin_count',
  counted: (sql: Db) => Fragment,
): CounterCheck => recount({ table: 'user_counts', key: 'user_id', column, counted })

/** Lists user ids by descending counter, with the user id as tie-breaker. `seen`: a condition on `c.user_id`. */
export async function listIdsByCount(
  sql: Db,
  counter: 'followers_count' | 'checkin_count',
  { limit = 15, offset, after }: { limit?: number; offset?: number; after?: number },
  seen: Fragment = sql``,
): Promise<number[]> {
  // Repeats the bound as `<=`, because PostgreSQL cannot search the index by the `or` condition alone.
  const past = ifGiven(sql, after || undefined, (id) => {
    const last = sql`(select l.${sql(counter)} from user_counts l where l.user_id = ${id})`
    return sql`and c.${sql(counter)} <= ${last} and (c.${sql(counter)} < ${last} or c.user_id > ${id})`
  })
  const rows = await sql<{ id: number }[]>`
    select u.id from user_counts c join users u on u.id = c.user_id and u.deleted_at is null
    where ${counter === 'checkin_count' ? sql`c.checkin_count > 0` : sql`true`} ${past} ${seen}
    order by c.${sql(counter)} desc, c.user_id ${limitClause(sql, { limit, offset, after })}`
  return rows.map(({ id }) => id)
}

export async function countFollowings(sql: Db, userId: number): Promise<number> {
  const [row] = await sql<{ followings_count: number }[]>`
    select followings_count from user_counts where user_id = ${userId}`
  return row?.followings_count ?? 0
}

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
  recount({
    table: 'user_counts',
    key: 'user_id',
    column: 'friends_count',
    counted: (sql) => sql`
      select mine.user_id as key, count(*) as n from user_follows mine
      join user_follows theirs on theirs.user_id = mine.target_id and theirs.target_id = mine.user_id group by 1`,
  }),
]
