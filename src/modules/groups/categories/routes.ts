import type { Context } from '#platform/context.ts'
import { routesOn, type Server, Type } from '#platform/http'
import { noSuchCategory } from '../errors.ts'
import { listGroups } from '../queries.ts'
import { CategoryGroupsQuery, Group } from '../schema.ts'
import { groupViews } from '../view.ts'
import { listCategories } from './queries.ts'
import { GroupCategory, GroupCategoryParams } from './schema.ts'
import { requireCategory } from './service.ts'
import { groupCategoryView } from './view.ts'

/** Group categories and their groups (groups-4). */
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
