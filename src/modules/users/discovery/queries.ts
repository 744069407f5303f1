import { escapeLike, nameKey } from '#lib/text.ts'
import { andAfterRow, type Db, ifGiven, limitClause, planSearch, SCANNED } from '#platform/database'
import { listIdsByCount } from '../counters.ts'
import { noBlockBetween } from '../relations/queries.ts'

type Page = { limit?: number; offset?: number; after?: number }

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

export const listPopularIds = (sql: Db, page: Page, viewerId: number) =>
  listIdsByCount(sql, 'followers_count', page, noBlockBetween(sql, viewerId, sql`c.user_id`))

export const listLatestIds = async (sql: Db, { limit = 15, ...page }: Page, viewerId: number) =>
  idsOf(
    await sql<{ id: number }[]>`
      select id from users where deleted_at is null ${noBlockBetween(sql, viewerId, sql`users.id`)}
        ${andAfterRow(
          sql,
          page.after,
          sql`created_at, id`,
          sql`select created_at, id from users where id = ${page.after ?? 0}`,
        )}
      order by created_at desc, id desc ${limitClause(sql, { limit, ...page })}`,
  )

export const listRecommendedIds = async (sql: Db, { limit = 15, ...page }: Page, viewerId: number) =>
  idsOf(
    await sql<{ id: number }[]>`
      select id from users where recommended_at is not null and deleted_at is null
        ${noBlockBetween(sql, viewerId, sql`users.id`)}
        ${andAfterRow(
          sql,
          page.after,
          sql`recommended_at, id`,
          sql`select recommended_at, id from users where id = ${page.after ?? 0}`,
        )}
      order by recommended_at desc, id desc ${limitClause(sql, { limit, ...page })}`,
  )

export async function searchUserIds(
  sql: Db,
  keyword: string,
  { limit = 15, ...page }: Page,
  viewerId: number,
) {
  const key = nameKey(keyword)
  if (key === '') return []
  const pattern = `%${escapeLike(key)}%`
  const isWhole = sql`u.name_key = ${key}`
  const past = andAfterRow(
    sql,
    page.after,
    sql`${isWhole}, u.id`,
    sql`select ${isWhole}, u.id from users u where u.id = ${page.after ?? 0}`,
  )
  const seen = noBlockBetween(sql, viewerId, sql`u.id`)
  const rest = sql`order by (${isWhole}) desc, u.id desc ${limitClause(sql, { limit, ...page })}`
  const start = ifGiven(
    sql,
    page.after || undefined,
    (id) => sql`and id < coalesce(
      (select id from users where id = ${id} and name_key <> ${key}), ${Number.MAX_SAFE_INTEGER}
    )`,
  )
  const { grams, isFrequent } = await planSearch(sql, 'users', 'name', key)
  if (isFrequent) {
    const newest = await sql<{ id: number }[]>`
    select u.id from (
      (select id, name_key from users where name_key = ${key} and deleted_at is null)
      union all
      (select id, name_key from (
        select id, name_key from users where deleted_at is null ${start} order by id desc limit ${SCANNED}
      ) latest
      where name_key like ${pattern} and name_key <> ${key}
      order by id desc limit ${limit + (page.offset ?? 0)})
    ) u where true ${past} ${seen} ${rest}`
    if (newest.length === limit) return idsOf(newest)
  }
  return idsOf(
    await sql<{ id: number }[]>`
      select u.id from users u where u.deleted_at is null and u.name_grams @> ${grams} and u.name_key like ${pattern} ${past} ${seen} ${rest}`,
  )
}

export const findByPhones = (sql: Db, phones: string[], viewerId: number) => sql<
  { id: number; phone: string }[]
>`
  select id, phone from users u where phone = any(${phones}) and deleted_at is null and found_by_phone
    ${noBlockBetween(sql, viewerId, sql`u.id`)}
  order by id`

export async function recommend(sql: Db, userId: number): Promise<boolean | undefined> {
  const [row] = await sql<{ added: boolean }[]>`
    with person as (select id, recommended_at from users where id = ${userId} and deleted_at is null for update),
    changed as (
      update users set recommended_at = now() where id in (select id from person where recommended_at is null)
      returning id
    )
    select exists (select from changed) as added from person`
  return row?.added
}

export async function unrecommend(sql: Db, userId: number): Promise<boolean | undefined> {
  const [row] = await sql<{ gone: boolean }[]>`
    with person as (select id, recommended_at from users where id = ${userId} for update),
    changed as (
      update users set recommended_at = null where id in (select id from person where recommended_at is not null)
      returning id
    )
    select exists (select from changed) as gone from person`
  return row?.gone
}
