import { nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database.ts'
import { ifGiven } from '#platform/sql.ts'
import type { Row } from '#platform/tables.ts'

export type NewsCategoryRow = Row<'news_categories', 'id' | 'name' | 'rank'>

/** All categories in their order. */
export const listCategories = (sql: Db) => sql<NewsCategoryRow[]>`
  select id, name, rank from news_categories order by rank desc, id`

/** The categories a person subscribes to. */
export const listSubscribed = (sql: Db, userId: number) => sql<{ category_id: number }[]>`
  select category_id from news_subscriptions where user_id = ${userId}`

/** Lets the replacements of one person's subscription follow one after the other. */
export const lockSubscriber = (sql: Db, userId: number) => sql`
  select from users where id = ${userId} for no key update`

/** Replaces a subscription as a whole; false, and nothing is changed, when one of the categories does not exist. */
export async function replaceSubscription(sql: Db, userId: number, ids: number[]): Promise<boolean> {
  const [row] = await sql<[{ known: boolean }]>`
    with wanted as (select id from news_categories where id = any(${ids}::bigint[]) order by id for key share),
    known as (select count(*) = ${ids.length} as all_known from wanted),
    gone as (
      delete from news_subscriptions
      where user_id = ${userId} and category_id <> all(${ids}::bigint[]) and (select all_known from known)
    ),
    added as (
      insert into news_subscriptions (user_id, category_id)
      select ${userId}, id from wanted where (select all_known from known) on conflict do nothing
    )
    select all_known as known from known`
  return row.known
}

export async function insertCategory(sql: Db, name: string, rank: number): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into news_categories (name, name_key, rank) values (${name}, ${nameKey(name)}, ${rank}) returning id`
  return row.id
}

/** Changes the fields that are given. */
export const updateCategory = (sql: Db, id: number, { name, rank }: { name?: string; rank?: number }) => sql`
  update news_categories set updated_at = now()
    ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}`)}
    ${ifGiven(sql, rank, (value) => sql`, rank = ${value}`)}
  where id = ${id}`

export const deleteCategory = (sql: Db, id: number) => sql`delete from news_categories where id = ${id}`
