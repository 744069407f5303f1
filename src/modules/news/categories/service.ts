import { parseIdList } from '#lib/lists.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { type Db, onConstraint, transaction } from '#platform/database.ts'
import { apiError } from '#platform/errors.ts'
import { keptValues } from '#platform/pages/values.ts'
import { noSuchCategory, unknownFollows } from '../errors.ts'
import {
  deleteCategory,
  insertCategory,
  listCategories,
  listSubscribed,
  lockSubscriber,
  type NewsCategoryRow,
  replaceSubscription,
  updateCategory,
} from './queries.ts'

export const categoryNameTaken = apiError(
  422,
  'category_name_taken',
  'A category of this name exists already.',
  '该名称的分类已存在。',
)
export const categoryInUse = apiError(
  422,
  'category_in_use',
  'A category with articles cannot be deleted.',
  '该分类下仍有资讯，不能删除。',
)

const SHOWN_WITHOUT_SUBSCRIPTION = 5
const SUBSCRIBED_MAX = 1000
const cacheOf = defineCache<{ list: NewsCategoryRow[] }>('news-categories', { max: 1, ttlMs: 60_000 })

const NOTHING: { category_id: number }[] = []
const subscriptions = keptValues<{ category_id: number }[]>(10_000)

/** All categories in their order, from memory. */
const readCategories = async (ctx: Context): Promise<NewsCategoryRow[]> =>
  (await cacheOf(ctx).get('all', async () => ({ list: [...(await listCategories(ctx.sql))] }))).list

/** Makes this node read the categories anew at once; other nodes were told by the commit. */
export const forgetCategories = (ctx: Context) => cacheOf(ctx).drop('all')

/** 404 for a category that does not exist. */
export async function requireCategory(ctx: Context, id: number): Promise<void> {
  if (!(await readCategories(ctx)).some((category) => category.id === id)) throw noSuchCategory()
}

/** `n` of the rows, each choice as likely as any other. */
function pick<T>(rows: T[], n: number): Set<T> {
  const left = [...rows]
  const picked = new Set<T>()
  while (picked.size < n && left.length > 0)
    picked.add(left.splice(Math.floor(Math.random() * left.length), 1)[0] as T)
  return picked
}

/**
 * The categories a person subscribes to, and all others. Without a subscription five are chosen at random for each
 * request (news-2).
 */
export async function splitCategories(
  ctx: Context,
  viewerId: number,
): Promise<{ my_cates: NewsCategoryRow[]; more_cates: NewsCategoryRow[] }> {
  const [all, subscribed] = await Promise.all([
    readCategories(ctx),
    viewerId > 0
      ? subscriptions(ctx, String(viewerId), async () => listSubscribed(ctx.sql, viewerId))
      : NOTHING,
  ])
  const ids = new Set(subscribed.map((row) => row.category_id))
  const mine =
    ids.size > 0 ? new Set(all.filter(({ id }) => ids.has(id))) : pick(all, SHOWN_WITHOUT_SUBSCRIPTION)
  return {
    my_cates: all.filter((category) => mine.has(category)),
    more_cates: all.filter((category) => !mine.has(category)),
  }
}

/** Replaces a person's subscription: 422 for what is not a list of ids of categories. */
export async function subscribe(ctx: Context, userId: number, follows: string): Promise<void> {
  const ids = parseIdList(follows, SUBSCRIBED_MAX)
  if (!ids) throw unknownFollows()
  const known = await transaction(ctx.sql, async (tx) => {
    await lockSubscriber(tx, userId)
    return replaceSubscription(tx, userId, ids)
  })
  if (!known) throw unknownFollows()
}

/** Makes a category in the caller's transaction; call `forgetCategories` after its commit. */
export async function addCategory(
  ctx: Context,
  tx: Db,
  { name, rank = 0 }: { name: string; rank?: number },
): Promise<number> {
  const id = await onConstraint(insertCategory(tx, name, rank), {
    news_categories_name_taken: categoryNameTaken,
  })
  cacheOf(ctx).announce(tx, 'all')
  return id
}

/** Changes what is given, in the caller's transaction; call `forgetCategories` after its commit. */
export async function changeCategory(
  ctx: Context,
  tx: Db,
  id: number,
  changes: { name?: string; rank?: number },
): Promise<void> {
  await onConstraint(updateCategory(tx, id, changes), { news_categories_name_taken: categoryNameTaken })
  cacheOf(ctx).announce(tx, 'all')
}

/** Deletes a category without articles, with its subscriptions; call `forgetCategories` after the commit. */
export async function removeCategory(ctx: Context, tx: Db, id: number): Promise<void> {
  await onConstraint(deleteCategory(tx, id), { news_category_used: categoryInUse })
  cacheOf(ctx).announce(tx, 'all')
}
