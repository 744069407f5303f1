import { withWireTimes } from '#lib/time.ts'
import { noSuchCategory } from '#modules/groups/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint } from '#platform/database.ts'
import { apiError, invalidField } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { recordRoutes } from '../../records.ts'
import {
  deleteCategory,
  findCategoryRecord,
  insertCategory,
  listCategoryRecords,
  updateCategory,
} from '../queries.ts'
import { CategoryQuery, CategoryRecord, NewCategory } from '../schema.ts'

const categoryInUse = apiError(
  422,
  'group_category_in_use',
  'This category holds groups.',
  '该分类下存在圈子。',
)
const nameTaken = () =>
  invalidField(
    'name',
    { en: 'There is a category of this name already.', zh: '分类名称已存在。' },
    'name_taken',
  )
const NAMES = { group_categories_name_taken: nameTaken }

/** Categories of circles under /admin. */
export function adminGroupCategoryRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/group-categories',
    ability: 'admin: groups',
    subject: 'group-categories',
    noun: 'a category of groups',
    item: CategoryRecord,
    query: CategoryQuery,
    body: NewCategory,
    missing: noSuchCategory,
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) => rows.map(withWireTimes),
    async create(tx, _userId, body) {
      return onConstraint(insertCategory(tx, body), NAMES)
    },
    async change(tx, _userId, { id }, body) {
      await onConstraint(updateCategory(tx, id, body), NAMES)
    },
    async remove(tx, { id }) {
      await onConstraint(deleteCategory(tx, id), { groups_category: categoryInUse })
    },
  })
}
