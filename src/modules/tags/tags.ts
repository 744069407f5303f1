import { groupBy } from '#lib/lists.ts'
import { nameKey } from '#lib/text.ts'
import {
  isUser,
  noBlockBetween,
  noSuchUser,
  UserView,
  userPage,
  withEnabledUser,
} from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { andAfterCursor, type Db, limitClause, onConstraint } from '#platform/database'
import { apiError, fieldError, invalidField } from '#platform/errors.ts'
import {
  Cursor,
  Empty,
  Id,
  Limit,
  Offset,
  routesOn,
  type Server,
  Shared,
  type Static,
  Type,
} from '#platform/http'

const noSuchTag = apiError(404, 'no_such_tag', 'This tag does not exist.', '标签不存在。')
const alreadyAttached = apiError(422, 'tag_attached', 'You already have this tag.', '你已经选择了该标签。')
const notAttached = apiError(422, 'tag_not_attached', 'You do not have this tag.', '你没有选择该标签。')

export const tagInUse = apiError(422, 'tag_in_use', 'This tag is in use.', '该标签正在使用中。')
export const categoryInUse = apiError(
  422,
  'category_in_use',
  'This category contains tags.',
  '该分类下还有标签。',
)

export const tagNameTaken = fieldError(
  'name',
  'name_taken',
  'A tag with this name already exists.',
  '标签名称已存在。',
)
export const categoryNameTaken = fieldError(
  'name',
  'name_taken',
  'A category with this name already exists.',
  '分类名称已存在。',
)

export const TAG_CONSTRAINTS = {
  tags_name_taken: tagNameTaken,
  tag_categories_name_taken: categoryNameTaken,
  tags_tag_category_id_fkey: () =>
    invalidField('tag_category_id', { en: 'This category does not exist.', zh: '标签分类不存在。' }),
}

export const Tag = Shared('Tag', {
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  weight: Type.Integer(),
})
export type Tag = Static<typeof Tag>

const TagCategory = Shared('TagCategory', {
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags: Type.Array(Tag),
})
type TagCategory = Static<typeof TagCategory>

const TagParams = Type.Object({ tag: Id })
const OwnerParams = Type.Object({ user: Id })
const PeopleQuery = Type.Object({ limit: Limit(), offset: Offset, after: Cursor })

const columns = (sql: Db) => sql`t.id, t.name, t.tag_category_id, t.weight`

const listTags = (sql: Db) => sql<Tag[]>`
  select ${columns(sql)} from tags t order by t.weight desc, t.id`

const listCategories = (sql: Db) => sql<Omit<TagCategory, 'tags'>[]>`
  select id, name, weight from tag_categories order by weight desc, id`

const listTagsOf = (sql: Db, userId: number) => sql<Tag[]>`
  select ${columns(sql)} from user_tags l join tags t on t.id = l.tag_id
  where l.user_id = ${userId} order by t.weight desc, t.id`

async function attachTag(sql: Db, userId: number, tagId: number): Promise<{ found: boolean; made: boolean }> {
  const [row] = await sql<[{ found: boolean; made: boolean }]>`
    with tag as (select id from tags where id = ${tagId}),
    link as (
      insert into user_tags (user_id, tag_id) select ${userId}, id from tag on conflict do nothing returning tag_id
    )
    select exists (select from tag) as found, exists (select from link) as made`
  return row
}

async function detachTag(sql: Db, userId: number, tagId: number): Promise<{ found: boolean; gone: boolean }> {
  const [row] = await sql<[{ found: boolean; gone: boolean }]>`
    with link as (delete from user_tags where user_id = ${userId} and tag_id = ${tagId} returning tag_id)
    select exists (select from tags where id = ${tagId}) as found, exists (select from link) as gone`
  return row
}

/** Reads at most as many rows per tag as the page needs, because popular tags have very many users. */
async function listAlikeIds(
  sql: Db,
  userId: number,
  { limit = 15, offset = 0, after = 0 }: { limit?: number; offset?: number; after?: number },
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select distinct found.user_id as id
    from user_tags mine cross join lateral (
      select l.user_id from user_tags l ${withEnabledUser(sql, sql`l.user_id`)}
      where l.tag_id = mine.tag_id and l.user_id <> ${userId} ${andAfterCursor(sql, sql`l.user_id`, after)}
        ${noBlockBetween(sql, userId, sql`l.user_id`)}
      order by l.user_id desc limit ${limit + offset}
    ) as found
    where mine.user_id = ${userId}
    order by id desc ${limitClause(sql, { limit, offset, after })}`
  return rows.map(({ id }) => id)
}

export const findTags = (sql: Db, ids: number[]) => sql<Tag[]>`
  select ${columns(sql)} from tags t where t.id = any(${ids}) order by t.weight desc, t.id`

export async function tagsByName(sql: Db, names: string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await sql<{ id: number; key: string }[]>`
    select id, name_key as key from tags where name_key = any(${names.map(nameKey)})`
  return new Map(rows.map(({ id, key }) => [key, id]))
}

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

export const detachAllTags = (sql: Db, userId: number) => sql`
  delete from user_tags where user_id = ${userId}`

export function tagRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Tags' })

  route('GET /tags', {
    operationId: 'listTags',
    summary: 'List all categories with their tags, highest weight first',
    access: 'public',
    reply: { 200: Type.Array(TagCategory) },
    async handler() {
      const [categories, all] = await Promise.all([listCategories(sql), listTags(sql)])
      const byCategory = groupBy(all, (tag) => tag.tag_category_id)
      return categories.map((category) => ({ ...category, tags: byCategory.get(category.id) ?? [] }))
    },
  })

  route('GET /user/tags', {
    operationId: 'listOwnTags',
    summary: 'List my tags',
    access: 'user',
    reply: { 200: Type.Array(Tag) },
    handler: ({ viewer }) => listTagsOf(sql, viewer.id),
  })

  route('GET /users/:user/tags', {
    operationId: 'listUserTags',
    summary: 'List the tags of a person',
    access: 'public',
    params: OwnerParams,
    reply: { 200: Type.Array(Tag) },
    errors: [noSuchUser],
    async handler({ params: { user } }) {
      const [found, list] = await Promise.all([isUser(sql, user), listTagsOf(sql, user)])
      if (!found) throw noSuchUser()
      return list
    },
  })

  route('PUT /user/tags/:tag', {
    operationId: 'takeTag',
    summary: 'Add a tag to my profile',
    access: 'user',
    params: TagParams,
    reply: { 204: Empty },
    errors: [noSuchTag, alreadyAttached],
    async handler({ params, viewer }) {
      const { found, made } = await onConstraint(
        attachTag(sql, viewer.id, params.tag),
        // A foreign key violation means that the tag was deleted concurrently.
        { user_tags_tag_id_fkey: noSuchTag },
      )
      if (!found) throw noSuchTag()
      if (!made) throw alreadyAttached()
    },
  })

  route('DELETE /user/tags/:tag', {
    operationId: 'dropTag',
    summary: 'Remove a tag of mine',
    access: 'user',
    params: TagParams,
    reply: { 204: Empty },
    errors: [noSuchTag, notAttached],
    async handler({ params, viewer }) {
      const { found, gone } = await detachTag(sql, viewer.id, params.tag)
      if (!found) throw noSuchTag()
      if (!gone) throw notAttached()
    },
  })

  route('GET /user/find-by-tags', {
    operationId: 'listUsersBySharedTags',
    summary: 'List people who share a tag with me; empty for guests',
    tag: 'Users',
    access: 'optional',
    query: PeopleQuery,
    reply: { 200: Type.Array(UserView) },
    handler: async ({ query, viewer }) => userPage(ctx, await listAlikeIds(sql, viewer.id, query), viewer.id),
  })
}
