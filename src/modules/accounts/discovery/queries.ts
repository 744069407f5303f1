import { nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { andPast, andPastRow, partOf } from '#platform/sql.ts'
import { listIdsByCount } from '../counters.ts'
import { nameContains } from '../users/queries.ts'

type Page = { limit?: number; offset?: number; after?: number }

const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)

/** People with the most followers first. */
export const listPopularIds = (sql: Db, page: Page) => listIdsByCount(sql, 'followers_count', page)

/** The newest people first. */
export const listLatestIds = async (sql: Db, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select id from users where deleted_at is null ${andPast(sql, sql`id`, page.after ?? 0)}
      order by id desc ${partOf(sql, { limit, ...page })}`,
  )

/** Those an administrator recommends, the newest recommendation first. */
export const listRecommendedIds = async (sql: Db, { limit = 15, ...page }: Page) =>
  idsOf(
    await sql<{ id: number }[]>`
      select id from users where recommended_at is not null and deleted_at is null
        ${andPastRow(
          sql,
          page.after,
          sql`recommended_at, id`,
          sql`select recommended_at, id from users where id = ${page.after ?? 0}`,
        )}
      order by recommended_at desc, id desc ${partOf(sql, { limit, ...page })}`,
  )

/** People with a part of their name, whose whole name it is first, then the newest. */
export const searchUserIds = async (sql: Db, keyword: string, { limit = 15, ...page }: Page) => {
  const isWhole = sql`u.name_key = ${nameKey(keyword)}`
  return idsOf(
    await sql<{ id: number }[]>`
      select u.id from users u where u.deleted_at is null ${nameContains(sql, keyword)}
        ${andPastRow(
          sql,
          page.after,
          sql`${isWhole}, u.id`,
          sql`select ${isWhole}, u.id from users u where u.id = ${page.after ?? 0}`,
        )}
      order by (${isWhole}) desc, u.id desc ${partOf(sql, { limit, ...page })}`,
  )
}

/** Who has one of these phone numbers. */
export const findByPhones = (sql: Db, phones: string[]) => sql<{ id: number; phone: string }[]>`
  select id, phone from users where phone = any(${phones}) and deleted_at is null order by id`

/** Recommends somebody; undefined when there is nobody of that id, else whether it is new. */
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

/** Ends a recommendation; undefined when there is nobody of that id, else whether there was one. */
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
