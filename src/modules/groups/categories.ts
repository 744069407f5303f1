import { escapeLike, nameKey } from '#lib/text.ts'
import { withWireTimes } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, onConstraint, when } from '#platform/database'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Int,
  listingQuery,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Type,
} from '#platform/http'
import { noSuchCategory } from './errors.ts'
import { type GroupCategoryRow, listCategories, listGroups } from './queries.ts'
import { CategoryGroupsQuery, Group, GroupCategory, GroupCategoryParams } from './schema.ts'
import { requireCategory } from './service.ts'
import { groupCategoryView, groupViews } from './view.ts'

export function groupCategoryRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Groups' })

  route('GET /categories', {
    operationId: 'listGroupCategories',
    summary: 'List categories of groups',
    access: 'optional',
    reply: { 200: Type.Array(GroupCategory) },
    handler: async () => (await listCategories(sql)).map(groupCategoryView),
  })

  route('GET /categories/:category/groups', {
    operationId: 'listGroupsOfCategory',
    summary: 'List the groups of a category',
    access: 'optional',
    params: GroupCategoryParams,
    query: CategoryGroupsQuery,
    reply: { 200: Type.Array(Group) },
    errors: [noSuchCategory],
    load: ({ params }) => requireCategory(sql, params.category),
    handler: async ({ params, query, viewer }) =>
      groupViews(ctx, await listGroups(sql, { ...query, category_id: params.category }), viewer.id),
  })
}

const CategoryRecord = Shared('GroupCategoryRecord', {
  ...GroupCategory.properties,
  groups_count: Type.Integer(),
})

const CategoryQuery = Type.Object({
  ...listingQuery(['id', 'sort_by']),
  status: Type.Optional(Int(0, 1)),
})
type CategoryQuery = Static<typeof CategoryQuery>

const NewGroupCategory = Shared('NewGroupCategory', {
  name: Text(50, { minLength: 1 }),
  sort_by: Type.Optional(Int(-1_000_000, 1_000_000)),
  status: Type.Optional(Int(0, 1, { description: '0 visible, 1 hidden' })),
})
type NewGroupCategory = Static<typeof NewGroupCategory>

type CategoryRecordRow = GroupCategoryRow & { groups_count: number }

const columns = (sql: Db) => sql`c.id, c.name, c.sort_by, c.status, c.created_at, c.updated_at`

function listCategoryRecords(sql: Db, query: CategoryQuery) {
  const key = nameKey(query.q ?? '')
  const where = sql`where true ${ifGiven(sql, query.status, (status) => sql`and c.status = ${status}`)}
    ${when(sql, key !== '', () => sql`and c.name_key like ${`%${escapeLike(key)}%`}`)}`
  const by = query.sort === 'sort_by' ? sql`c.sort_by` : undefined
  return pageOf<CategoryRecordRow>(
    sql,
    // Counts groups once for all categories, instead of once per category.
    sql`select ${columns(sql)}, coalesce(n.groups_count, 0) as groups_count
      from group_categories c left join (
        select category_id, count(*)::int as groups_count from groups where deleted_at is null group by 1
      ) n on n.category_id = c.id ${where}
      ${listingClause(sql, query, { id: sql`c.id`, by, from: sql`group_categories c` })}`,
    sql`select count(*)::int as total from group_categories c ${where}`,
  )
}

async function findCategoryRecord(sql: Db, id: number, { lock = false } = {}) {
  const [row] = await sql<CategoryRecordRow[]>`
    select ${columns(sql)},
      (select count(*)::int from groups g where g.category_id = c.id and g.deleted_at is null) as groups_count
    from group_categories c where c.id = ${id}
    ${when(sql, lock, () => sql`for update of c`)}`
  return row
}

async function insertCategory(sql: Db, { name, sort_by = 0, status = 0 }: NewGroupCategory) {
  const [row] = await sql<[{ id: number }]>`
    insert into group_categories (name, name_key, sort_by, status)
    values (${name}, ${nameKey(name)}, ${sort_by}, ${status}) returning id`
  return row.id
}

const updateCategory = (sql: Db, id: number, { name, sort_by, status }: Partial<NewGroupCategory>) => sql`
  update group_categories set updated_at = now()
    ${ifGiven(sql, name, (text) => sql`, name = ${text}, name_key = ${nameKey(text)}`)}
    ${ifGiven(sql, sort_by, (place) => sql`, sort_by = ${place}`)}
    ${ifGiven(sql, status, (value) => sql`, status = ${value}`)}
  where id = ${id}`

const deleteCategory = (sql: Db, id: number) => sql`delete from group_categories where id = ${id}`

const categoryInUse = apiError(
  422,
  'group_category_in_use',
  'This category contains groups.',
  '该分类下还有圈子。',
)
const nameTaken = fieldError(
  'name',
  'name_taken',
  'A category with this name already exists.',
  '分类名称已存在。',
)
const NAMES = { group_categories_name_taken: nameTaken }

export function adminGroupCategoryRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/group-categories',
    tag: 'Admin: groups',
    ability: 'admin: groups',
    subject: 'group-categories',
    entity: 'GroupCategory',
    entities: 'GroupCategories',
    noun: 'a category of groups',
    nouns: 'categories of groups',
    item: CategoryRecord,
    query: CategoryQuery,
    body: NewGroupCategory,
    missing: noSuchCategory,
    errors: [nameTaken, categoryInUse],
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _userId, body) => onConstraint(insertCategory(tx, body), NAMES),
    async change(tx, _userId, { id }, body) {
      await onConstraint(updateCategory(tx, id, body), NAMES)
    },
    async remove(tx, { id }) {
      await onConstraint(deleteCategory(tx, id), { groups_category: categoryInUse })
    },
  })
}
