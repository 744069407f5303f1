import { nameKey } from '#lib/text.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, onConstraint, type Row, transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { localizedMessage, Message, routesOn, type Server, type Static } from '#platform/http'
import { defineCache } from '#platform/memory'
import { NewsCategories, NewsSubscription, noSuchCategory, unknownFollows } from './schema.ts'

export type NewsCategoryRow = Row<'news_categories', 'id' | 'name' | 'rank'>

export const listCategories = (sql: Db) => sql<NewsCategoryRow[]>`
  select id, name, rank from news_categories order by rank desc, id`

const listSubscribed = (sql: Db, userId: number) => sql<{ category_id: number }[]>`
  select category_id from news_subscriptions where user_id = ${userId}`

/** Serializes concurrent changes of one user's subscription to categories. */
const lockSubscriber = (sql: Db, userId: number) => sql`
  select from users where id = ${userId} for no key update`

/** Returns false, without a change, when one of the categories does not exist. */
async function replaceSubscription(sql: Db, userId: number, ids: number[]): Promise<boolean> {
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

async function insertCategory(sql: Db, name: string, rank: number): Promise<number> {
  const [row] = await sql<[{ id: number }]>`
    insert into news_categories (name, name_key, rank) values (${name}, ${nameKey(name)}, ${rank}) returning id`
  return row.id
}

const updateCategory = (sql: Db, id: number, { name, rank }: { name?: string; rank?: number }) => sql`
  update news_categories set updated_at = now()
    ${ifGiven(sql, name, (value) => sql`, name = ${value}, name_key = ${nameKey(value)}`)}
    ${ifGiven(sql, rank, (value) => sql`, rank = ${value}`)}
  where id = ${id}`

const deleteCategory = (sql: Db, id: number) => sql`delete from news_categories where id = ${id}`

export const categoryNameTaken = apiError(
  422,
  'category_name_taken',
  'A category with this name already exists.',
  '该名称的分类已存在。',
)
export const categoryInUse = apiError(
  422,
  'category_in_use',
  'A category with articles cannot be deleted.',
  '该分类下仍有资讯，不能删除。',
)

const SHOWN_WITHOUT_SUBSCRIPTION = 5
const cacheOf = defineCache<{ list: NewsCategoryRow[] }>('news-categories', { max: 1, ttlMs: 60_000 })

const NOTHING: { category_id: number }[] = []

const readCategories = async (ctx: Context): Promise<NewsCategoryRow[]> =>
  (await cacheOf(ctx).get('all', async () => ({ list: [...(await listCategories(ctx.sql))] }))).list

export async function requireCategory(ctx: Context, id: number): Promise<void> {
  if (!(await readCategories(ctx)).some((category) => category.id === id)) throw noSuchCategory()
}

function pickRandom<T>(rows: T[], n: number): Set<T> {
  const left = [...rows]
  const picked = new Set<T>()
  while (picked.size < n && left.length > 0)
    picked.add(left.splice(Math.floor(Math.random() * left.length), 1)[0] as T)
  return picked
}

/** Selects five random categories per request for users without a subscription (news-2). */
async function splitCategories(ctx: Context, viewerId: number): Promise<Static<typeof NewsCategories>> {
  const [all, subscribed] = await Promise.all([
    readCategories(ctx),
    viewerId > 0 ? listSubscribed(ctx.sql, viewerId) : NOTHING,
  ])
  const ids = new Set(subscribed.map((row) => row.category_id))
  const mine =
    ids.size > 0 ? new Set(all.filter(({ id }) => ids.has(id))) : pickRandom(all, SHOWN_WITHOUT_SUBSCRIPTION)
  const shown = ({ id, name }: NewsCategoryRow) => ({ id, name })
  return {
    my_cates: all.filter((category) => mine.has(category)).map(shown),
    more_cates: all.filter((category) => !mine.has(category)).map(shown),
  }
}

async function subscribe(ctx: Context, userId: number, follows: number[]): Promise<void> {
  const ids = [...new Set(follows)]
  const known = await transaction(ctx.sql, async (tx) => {
    await lockSubscriber(tx, userId)
    return replaceSubscription(tx, userId, ids)
  })
  if (!known) throw unknownFollows()
}

export async function addCategory(
  ctx: Context,
  tx: Db,
  { name, rank = 0 }: { name: string; rank?: number },
): Promise<number> {
  const id = await onConstraint(insertCategory(tx, name, rank), {
    news_categories_name_taken: categoryNameTaken,
  })
  await cacheOf(ctx).announce(tx, 'all')
  return id
}

export async function changeCategory(
  ctx: Context,
  tx: Db,
  id: number,
  changes: { name?: string; rank?: number },
): Promise<void> {
  await onConstraint(updateCategory(tx, id, changes), { news_categories_name_taken: categoryNameTaken })
  await cacheOf(ctx).announce(tx, 'all')
}

export async function removeCategory(ctx: Context, tx: Db, id: number): Promise<void> {
  await onConstraint(deleteCategory(tx, id), { news_category_used: categoryInUse })
  await cacheOf(ctx).announce(tx, 'all')
}

export function newsCategoryRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'News' })

  route('GET /news/cates', {
    operationId: 'listNewsCategories',
    summary: 'List subscribed and other categories',
    access: 'optional',
    fresh: true,
    reply: { 200: NewsCategories },
    handler: ({ viewer }) => splitCategories(ctx, viewer.id),
  })

  route('PATCH /news/categories/follows', {
    operationId: 'subscribeToNewsCategories',
    summary: 'Subscribe to exactly these categories',
    access: 'user',
    body: NewsSubscription,
    reply: { 201: Message },
    errors: [unknownFollows],
    handler: async ({ viewer, body, request }) => {
      await subscribe(ctx, viewer.id, body.follows)
      return localizedMessage(request, 'Subscribed.', '订阅成功。')
    },
  })
}
