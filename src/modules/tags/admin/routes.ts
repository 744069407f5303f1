import postgres from 'postgres'
import { wireTime } from '#lib/time.ts'
import { mountAdminCrud } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import type { Server } from '#platform/http.ts'
import { categoryInUse, categoryNameTaken, TAG_CONSTRAINTS, tagInUse, tagNameTaken } from '../errors.ts'
import {
  deleteCategory,
  deleteTag,
  findCategoryRecord,
  findTagRecord,
  insertCategory,
  insertTag,
  listCategoryRecords,
  listTagRecords,
  updateCategory,
  updateTag,
} from './queries.ts'
import { NewTag, NewTagCategory, TagCategoryQuery, TagCategoryRecord, TagQuery, TagRecord } from './schema.ts'

const view = <T extends { created_at: string }>(row: T): T => ({
  ...row,
  created_at: wireTime(row.created_at),
})

/** Whatever refers to a tag or a category keeps it, also what other modules hang on it. */
async function unlessUsed(deletion: Promise<unknown>, used: () => Error): Promise<void> {
  try {
    await deletion
  } catch (error) {
    throw error instanceof postgres.PostgresError && error.code === '23503' ? used() : error
  }
}

/** The tags that people choose from, and their categories (feeds-31). */
export function adminTagRoutes(server: Server, ctx: Context) {
  const shared = { tag: 'Admin: topics', ability: 'admin: tags', missing: notFound } as const

  mountAdminCrud(server, ctx, {
    ...shared,
    path: '/admin/tag-categories',
    param: 'category',
    subject: 'tag_categories',
    entity: 'TagCategory',
    entities: 'TagCategories',
    noun: 'a category of tags',
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

  mountAdminCrud(server, ctx, {
    ...shared,
    path: '/admin/tags',
    param: 'tag',
    subject: 'tags',
    entity: 'Tag',
    noun: 'a tag',
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
