import { wireTime, wireTimeOrNull, withWireTimes } from '#lib/time.ts'
import { mountAdminRecords } from '#modules/audit/index.ts'
import { fileNotUsable } from '#modules/files/index.ts'
import { alreadyDecided } from '#modules/ledger/index.ts'
import { mountAdminPins } from '#modules/pinning/index.ts'
import { contactRefused } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/database'
import { blocked, fieldError } from '#platform/errors.ts'
import { Nullable, type Server, Type } from '#platform/http'
import {
  addCategory,
  categoryInUse,
  categoryNameTaken,
  changeCategory,
  removeCategory,
} from '../categories.ts'
import { newsPins } from '../pins.ts'
import { decideDeletion, type NewsDeletionRow, setRecommended } from '../queries.ts'
import {
  newsInThisState,
  noSuchCategory,
  noSuchNews,
  STATUS,
  unknownAuthor,
  unknownCategory,
  unknownTag,
} from '../schema.ts'
import {
  addNews,
  announceNews,
  changeNews,
  getLocked,
  type NewsInput,
  publishNews,
  recycleNews,
  rejectNews,
  removeNews,
  tellAuthor,
} from '../service.ts'
import {
  ArticleDecision,
  ArticleQuery,
  ArticleRecord,
  findArticleRecord,
  findCategoryRecord,
  findDeletion,
  listArticleRecords,
  listCategoryRecords,
  listDeletions,
  NewArticle,
  NewNewsCategory,
  NewsCategoryQuery,
  NewsCategoryRecord,
  NewsDeletionDecision,
  NewsDeletionQuery,
  NewsDeletionRecord,
} from './queries.ts'

async function settleDeletion(
  ctx: Context,
  tx: Tx,
  id: number,
  { accept, mark, by }: { accept: boolean; mark: string | null; by: number },
): Promise<void> {
  const request = await decideDeletion(tx, id, { state: accept ? 'accepted' : 'rejected', mark, by })
  if (!request) throw alreadyDecided()
  const news = await getLocked(tx, request.news_id)
  if (accept) await removeNews(ctx, tx, news)
  await tellAuthor(tx, news, accept ? 'news:delete:accept' : 'news:delete:reject', mark)
}

const unknownNews = fieldError('news', 'no_such_news', 'This article does not exist.', '资讯不存在。')

export function adminNewsPinRoutes(server: Server, ctx: Context): void {
  mountAdminPins(server, ctx, {
    param: 'news',
    plural: 'articles',
    tag: 'Admin: moderation',
    ability: 'admin: news',
    pins: newsPins,
    rows: {
      columns: (sql) => sql`p.target_id as news_id, t.title`,
      table: (sql) => sql`news t`,
      text: (sql) => sql`t.title`,
    },
    shown: { news_id: Type.Integer(), title: Nullable(Type.String()) },
    missing: unknownNews,
  })
}

const ability = 'admin: news'
const tag = 'Admin: news'

const newsInput = ({ category_id: categoryId, user_id: _, ...rest }: Partial<NewArticle>): NewsInput => ({
  ...rest,
  ...(categoryId === undefined ? {} : { categoryId }),
})

const deletionView = (row: NewsDeletionRow) => ({
  ...row,
  decided_at: wireTimeOrNull(row.decided_at),
  created_at: wireTime(row.created_at),
})

export function adminNewsRoutes(server: Server, ctx: Context) {
  mountAdminRecords(server, ctx, {
    path: '/admin/news/categories',
    tag,
    ability,
    subject: 'news-categories',
    entity: 'NewsCategory',
    entities: 'NewsCategories',
    noun: 'a category of news',
    nouns: 'categories of news',
    item: NewsCategoryRecord,
    query: NewsCategoryQuery,
    body: NewNewsCategory,
    missing: noSuchCategory,
    errors: [categoryNameTaken, categoryInUse],
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _, body) => addCategory(ctx, tx, body),
    change: (tx, _, { id }, body) => changeCategory(ctx, tx, id, body),
    remove: (tx, { id }) => removeCategory(ctx, tx, id),
  })

  mountAdminRecords(server, ctx, {
    path: '/admin/news',
    tag,
    ability,
    subject: 'news',
    entity: 'Article',
    noun: 'an article',
    nouns: 'articles',
    item: ArticleRecord,
    query: ArticleQuery,
    body: NewArticle,
    extra: ArticleDecision,
    missing: noSuchNews,
    errors: [
      newsInThisState,
      unknownAuthor,
      unknownCategory,
      unknownTag,
      fileNotUsable,
      blocked,
      contactRefused,
    ],
    list: listArticleRecords,
    find: findArticleRecord,
    view: async (rows) =>
      rows.map((row) => ({ ...withWireTimes(row), published_at: wireTimeOrNull(row.published_at) })),
    summary: ({ content, ...rest }) => ({ ...rest, characters: content?.length }),
    async create(tx, userId, body) {
      const owner = { authorId: body.user_id ?? userId, uploaderId: userId }
      const input = {
        ...newsInput(body),
        title: body.title,
        content: body.content,
        categoryId: body.category_id,
      }
      const id = await addNews(tx, owner, input, { status: STATUS.published })
      await announceNews(ctx, tx, id, owner.authorId)
      return id
    },
    async change(tx, userId, { id }, { audit_status: status, mark, recommend, ...body }) {
      await changeNews(tx, userId, await getLocked(tx, id), newsInput(body))
      if (recommend !== undefined) await setRecommended(tx, id, recommend)
      if (status === undefined) return
      const news = await getLocked(tx, id)
      if (status === STATUS.published) await publishNews(ctx, tx, news)
      else if (status === STATUS.rejected) await rejectNews(tx, news, mark ?? null)
      else await recycleNews(tx, news, mark ?? null)
    },
    remove: async (tx, { id }) => removeNews(ctx, tx, await getLocked(tx, id)),
  })

  mountAdminRecords(server, ctx, {
    path: '/admin/news/deletions',
    tag,
    ability,
    subject: 'news',
    entity: 'NewsDeletion',
    noun: 'a request to delete an article',
    nouns: 'requests to delete published articles',
    param: 'deletion',
    item: NewsDeletionRecord,
    query: NewsDeletionQuery,
    list: listDeletions,
    find: findDeletion,
    view: async (rows) => rows.map(deletionView),
    decide: {
      summary: 'Delete the article, or reject the request; the author is notified',
      body: NewsDeletionDecision,
      errors: [alreadyDecided, noSuchNews],
      async run(tx, by, { id, news_id, title, user_id }, { action, mark = null }) {
        await settleDeletion(ctx, tx, id, { accept: action === 'accept', mark, by })
        return {
          action: `news.deletion.${action}`,
          subjectId: news_id,
          before: { title, user_id },
          after: { mark },
        }
      },
    },
  })
}
