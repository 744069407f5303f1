import { escapeLike, nameKey } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import {
  type Db,
  ifGiven,
  isForeignKeyViolation,
  listingClause,
  onConstraint,
  when,
} from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Id,
  Int,
  listingQuery,
  pageOf,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { categoryInUse, categoryNameTaken, TAG_CONSTRAINTS, tagInUse, tagNameTaken } from '../tags.ts'

const TagCategoryRecord = Shared('TagCategoryRecord', {
  id: Type.Integer(),
  name: Type.String(),
  weight: Type.Integer(),
  tags_count: Type.Integer(),
  created_at: Time,
})
type TagCategoryRecord = Static<typeof TagCategoryRecord>

const TagRecord = Shared('TagRecord', {
  id: Type.Integer(),
  name: Type.String(),
  tag_category_id: Type.Integer(),
  tag_category_name: Type.String(),
  weight: Type.Integer(),
  created_at: Time,
})
type TagRecord = Static<typeof TagRecord>

const TagCategoryQuery = Type.Object(listingQuery(['weight', 'id', 'name']))
type TagCategoryQuery = Static<typeof TagCategoryQuery>

const TagQuery = Type.Object({
  ...listingQuery(['id', 'weight', 'name']),
  tag_category_id: Type.Optional(Id),
})
type TagQuery = Static<typeof TagQuery>

const weight = Type.Optional(Int(-1_000_000, 1_000_000, { description: 'A higher weight comes first' }))

export const NewTagCategory = Shared('NewTagCategory', { name: Text(50), weight })
export type NewTagCategory = Static<typeof NewTagCategory>

export const NewTag = Shared('NewTag', { name: Text(10), tag_category_id: Id, weight })
export type NewTag = Static<typeof NewTag>

const categoryColumns = (sql: Db) => sql`
  x.id, x.name, x.weight, x.created_at,
  (select count(*)::int from tags t where t.tag_category_id = x.id) as tags_count`

const tagColumns = (sql: Db) => sql`
  x.id, x.name, x.tag_category_id, x.weight, x.created_at,
  (select c.name from tag_categories c where c.id = x.tag_category_id) as tag_category_name`

const listing = (sql: Db, query: TagCategoryQuery, table: 'tags' | 'tag_categories') => {
  const key = nameKey(query.q ?? '')
  const by = { id: undefined, weight: sql`x.weight`, name: sql`x.name_key` }[query.sort ?? 'id']
  return {
    named: when(sql, key !== '', () => sql`and x.name_key like ${`%${escapeLike(key)}%`}`),
    ordered: listingClause(sql, query, { id: sql`x.id`, by, from: sql`${sql(table)} x` }),
  }
}

function listCategoryRecords(sql: Db, query: TagCategoryQuery) {
  const { named, ordered } = listing(sql, query, 'tag_categories')
  return pageOf<TagCategoryRecord>(
    sql,
    sql`select ${categoryColumns(sql)} from tag_categories x where true ${named} ${ordered}`,
    sql`select count(*)::int as total from tag_categories x where true ${named}`,
  )
}

function listTagRecords(sql: Db, query: TagQuery) {
  const { named, ordered } = listing(sql, query, 'tags')
  const within = ifGiven(sql, query.tag_category_id, (id) => sql`and x.tag_category_id = ${id}`)
  return pageOf<TagRecord>(
    sql,
    sql`select ${tagColumns(sql)} from tags x where true ${named} ${within} ${ordered}`,
    sql`select count(*)::int as total from tags x where true ${named} ${within}`,
  )
}

async function findCategoryRecord(
  sql: Db,
  id: number,
  { lock = false } = {},
): Promise<TagCategoryRecord | undefined> {
  const [row] = await sql<TagCategoryRecord[]>`
    select ${categoryColumns(sql)} from tag_categories x where x.id = ${id}
    ${when(sql, lock, () => sql`for update of x`)}`
  return row
}

async function findTagRecord(sql: Db, id: number, { lock = false } = {}): Promise<TagRecord | undefined> {
  const [row] = await sql<TagRecord[]>`
    select ${tagColumns(sql)} from tags x where x.id = ${id} ${when(sql, lock, () => sql`for update of x`)}`
  return row
}

async function insertCategory(sql: Db, { name, weight = 0 }: NewTagCategory): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into tag_categories (name, name_key, weight) values (${name}, ${nameKey(name)}, ${weight}) returning id`
  return row.id
}

async function insertTag(sql: Db, { name, tag_category_id: category, weight = 0 }: NewTag): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into tags (name, name_key, tag_category_id, weight)
    values (${name}, ${nameKey(name)}, ${category}, ${weight}) returning id`
  return row.id
}

const renamed = (sql: Db, name: string | undefined) =>
  ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}`)

async function updateCategory(sql: Db, id: number, { name, weight }: Partial<NewTagCategory>) {
  await sql`
    update tag_categories set weight = ${weight ?? sql`weight`} ${renamed(sql, name)} where id = ${id}`
}

async function updateTag(sql: Db, id: number, changes: Partial<NewTag>) {
  const { name, tag_category_id: category, weight } = changes
  await sql`
    update tags set weight = ${weight ?? sql`weight`}, tag_category_id = ${category ?? sql`tag_category_id`}
      ${renamed(sql, name)}
    where id = ${id}`
}

async function deleteCategory(sql: Db, id: number): Promise<void> {
  await sql`delete from tag_categories where id = ${id}`
}

async function deleteTag(sql: Db, id: number): Promise<void> {
  await sql`delete from tags where id = ${id}`
}

const view = <T extends { created_at: string }>(row: T): T => ({
  ...row,
  created_at: wireTime(row.created_at),
})

/** Throws the error of `used` on any foreign key violation, because tables of other modules also refer to tags. */
async function unlessUsed(deletion: Promise<unknown>, used: () => Error): Promise<void> {
  try {
    await deletion
  } catch (error) {
    throw isForeignKeyViolation(error) ? used() : error
  }
}

export function adminTagRoutes(server: Server, ctx: Context) {
  const shared = { tag: 'Admin: topics', ability: 'admin: tags', missing: notFound } as const

  mountAdminRecords(server, ctx, {
    ...shared,
    path: '/admin/tag-categories',
    param: 'category',
    subject: 'tag_categories',
    entity: 'TagCategory',
    entities: 'TagCategories',
    noun: 'a category of tags',
    nouns: 'categories of tags',
    item: TagCategoryRecord,
    query: TagCategoryQuery,
    body: NewTagCategory,
    errors: [categoryNameTaken, categoryInUse],
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) => rows.map(view),
    create: (tx, _, category) => onConstraint(insertCategory(tx, category), TAG_CONSTRAINTS),
    change: (tx, _, { id }, changes) => onConstraint(updateCategory(tx, id, changes), TAG_CONSTRAINTS),
    remove: (tx, { id }) => unlessUsed(deleteCategory(tx, id), categoryInUse),
  })

  mountAdminRecords(server, ctx, {
    ...shared,
    path: '/admin/tags',
    param: 'tag',
    subject: 'tags',
    entity: 'Tag',
    noun: 'a tag',
    nouns: 'tags',
    item: TagRecord,
    query: TagQuery,
    body: NewTag,
    errors: [tagNameTaken, tagInUse],
    list: listTagRecords,
    find: findTagRecord,
    view: async (rows) => rows.map(view),
    create: (tx, _, tag) => onConstraint(insertTag(tx, tag), TAG_CONSTRAINTS),
    change: (tx, _, { id }, changes) => onConstraint(updateTag(tx, id, changes), TAG_CONSTRAINTS),
    remove: (tx, { id }) => unlessUsed(deleteTag(tx, id), tagInUse),
  })
}
