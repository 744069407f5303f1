import { nameKey } from '#lib/text.ts'
import { withEnabledUser } from '#modules/accounts/index.ts'
import { andAfterCursor, type Db, limitClause } from '#platform/database'
import type { Tag, TagCategory } from './schema.ts'

const columns = (sql: Db) => sql`t.id, t.name, t.tag_category_id, t.weight`

/** Lists all tags, highest weight first. */
export const listTags = (sql: Db) => sql<Tag[]>`
  select ${columns(sql)} from tags t order by t.weight desc, t.id`

/** Lists all categories, highest weight first. */
export const listCategories = (sql: Db) => sql<Omit<TagCategory, 'tags'>[]>`
  select id, name, weight from tag_categories order by weight desc, id`

/** Lists the tags of a user. */
export const listTagsOf = (sql: Db, userId: number) => sql<Tag[]>`
  select ${columns(sql)} from user_tags l join tags t on t.id = l.tag_id
  where l.user_id = ${userId} order by t.weight desc, t.id`

/** Adds a tag to a user. `made` is false when they already have it. */
export async function attachTag(
  sql: Db,
  userId: number,
  tagId: number,
): Promise<{ found: boolean; made: boolean }> {
  const [row] = await sql<[{ found: boolean; made: boolean }]>`
    with tag as (select id from tags where id = ${tagId}),
    link as (
      insert into user_tags (user_id, tag_id) select ${userId}, id from tag on conflict do nothing returning tag_id
    )
    select exists (select from tag) as found, exists (select from link) as made`
  return row
}

/** Removes a tag from a user. `gone` is false when they do not have it. */
export async function detachTag(
  sql: Db,
  userId: number,
  tagId: number,
): Promise<{ found: boolean; gone: boolean }> {
  const [row] = await sql<[{ found: boolean; gone: boolean }]>`
    with link as (delete from user_tags where user_id = ${userId} and tag_id = ${tagId} returning tag_id)
    select exists (select from tags where id = ${tagId}) as found, exists (select from link) as gone`
  return row
}

/**
 * Lists users who share a tag with a user, newest accounts first. Reads per tag only as many rows as the page
 * can need, even for popular tags.
 */
export async function listAlikeIds(
  sql: Db,
  userId: number,
  { limit = 15, offset = 0, after = 0 }: { limit?: number; offset?: number; after?: number },
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select distinct found.user_id as id
    from user_tags mine cross join lateral (
      select l.user_id from user_tags l ${withEnabledUser(sql, sql`l.user_id`)}
      where l.tag_id = mine.tag_id and l.user_id <> ${userId} ${andAfterCursor(sql, sql`l.user_id`, after)}
      order by l.user_id desc limit ${limit + offset}
    ) as found
    where mine.user_id = ${userId}
    order by id desc ${limitClause(sql, { limit, offset, after })}`
  return rows.map(({ id }) => id)
}

/** Finds tags by id, highest weight first. */
export const findTags = (sql: Db, ids: number[]) => sql<Tag[]>`
  select ${columns(sql)} from tags t where t.id = any(${ids}) order by t.weight desc, t.id`

/** Finds tags by the key of their name. */
export async function tagsByName(sql: Db, names: string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await sql<{ id: number; key: string }[]>`
    select id, name_key as key from tags where name_key = any(${names.map(nameKey)})`
  return new Map(rows.map(({ id, key }) => [key, id]))
}

/** Inserts missing tags of a file, with their categories. */
export async function importTags(
  sql: Db,
  tags: { name: string; category: string; weight: number }[],
): Promise<void> {
  const keyed = [...new Map(tags.map((tag) => [nameKey(tag.name), tag]))].sort(([a], [b]) => (a < b ? -1 : 1))
  if (keyed.length === 0) return
  const categories = [...new Map(keyed.map(([, { category }]) => [nameKey(category), category]))].sort()
  await sql`
    insert into tag_categories (name, name_key)
    select * from unnest(${categories.map(([, name]) => name)}::text[], ${categories.map(([key]) => key)}::text[])
    on conflict do nothing`
  await sql`
    insert into tags (tag_category_id, name, name_key, weight)
    select c.id, t.name, t.key, t.weight
    from unnest(${keyed.map(([, { name }]) => name)}::text[], ${keyed.map(([key]) => key)}::text[],
      ${keyed.map(([, { category }]) => nameKey(category))}::text[], ${keyed.map(([, { weight }]) => weight)}::int[])
      with ordinality as t (name, key, category, weight, n)
    join tag_categories c on c.name_key = t.category order by t.n on conflict do nothing`
}

/** Removes all tags from a user. */
export const detachAllTags = (sql: Db, userId: number) => sql`
  delete from user_tags where user_id = ${userId}`
