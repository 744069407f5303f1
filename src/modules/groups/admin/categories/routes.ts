import { withWireTimes } from '#lib/time.ts'
import { mountAdminCrud } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint } from '#platform/database.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { noSuchCategory } from '../../errors.ts'
import {
  deleteCategory,
  findCategoryRecord,
  insertCategory,
  listCategoryRecords,
  updateCategory,
} from './queries.ts'
import { CategoryQuery, CategoryRecord, NewGroupCategory } from './schema.ts'

const categoryInUse = apiError(
  422,
  'group_category_in_use',
  'This category holds groups.',
  '该分类下存在圈子。',
)
const nameTaken = fieldError(
  'name',
  'name_taken',
  'There is a category of this name already.',
  '分类名称已存在。',
)
const NAMES = { group_categories_name_taken: nameTaken }

/** Categories of groups under /admin (groups-31). */
export function adminGroupCategoryRoutes(server: Server, ctx: Context) {
  mountAdminCrud(server, ctx, {
    path: '/admin/group-categories',
    tag: 'Admin: groups',
    ability: 'admin: groups',
    subject: 'group-categories',
    entity: 'GroupCategory',
    entities: 'GroupCategories',
    noun: 'a category of groups',
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
