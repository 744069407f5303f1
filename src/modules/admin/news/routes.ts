import type { FastifyRequest } from 'fastify'
import { wireTime, wireTimeOrNull, withWireTimes } from '#lib/time.ts'
import {
  addCategory,
  addNews,
  announceNews,
  changeCategory,
  changeNews,
  forgetCategories,
  getLocked,
  type NewsInput,
  noSuchCategory,
  noSuchNews,
  publishNews,
  recycleNews,
  rejectNews,
  removeCategory,
  removeNews,
  STATUS,
  setRecommended,
  settleDeletion,
} from '#modules/news/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database.ts'
import { notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { recordRoutes } from '../records.ts'
import {
  type DeletionRow,
  findCategoryRecord,
  findDeletion,
  findNewsRecord,
  listCategoryRecords,
  listDeletions,
  listNewsRecords,
} from './queries.ts'
import {
  CategoryQuery,
  CategoryRecord,
  DeletionBody,
  DeletionParams,
  DeletionQuery,
  DeletionRecord,
  NewCategory,
  NewNews,
  NewsDecision,
  NewsQuery,
  NewsRecordView,
} from './schema.ts'

const ability = 'admin: news'

const newsInput = ({ category_id: categoryId, user_id: _, ...rest }: Partial<NewNews>): NewsInput => ({
  ...rest,
  ...(categoryId === undefined ? {} : { categoryId }),
})

/** Categories, articles and requests for deletion under /admin/news. */
export function adminNewsRoutes(server: Server, ctx: Context) {
  recordRoutes(server, ctx, {
    path: '/admin/news/categories',
    ability,
    subject: 'news-categories',
    noun: 'a category of news',
    item: CategoryRecord,
    query: CategoryQuery,
    body: NewCategory,
    missing: noSuchCategory,
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) => rows.map(withWireTimes),
    create: (tx, _, body) => addCategory(ctx, tx, body),
    change: (tx, _, { id }, body) => changeCategory(ctx, tx, id, body),
    remove: (tx, { id }) => removeCategory(ctx, tx, id),
    afterwards: () => forgetCategories(ctx),
  })

  recordRoutes(server, ctx, {
    path: '/admin/news',
    ability,
    subject: 'news',
    noun: 'an article',
    item: NewsRecordView,
    query: NewsQuery,
    body: NewNews,
    extra: NewsDecision,
    missing: noSuchNews,
    list: listNewsRecords,
    find: findNewsRecord,
    view: async (rows) =>
      rows.map((row) => ({
        ...row,
        published_at: wireTimeOrNull(row.published_at),
        created_at: wireTime(row.created_at),
        updated_at: wireTime(row.updated_at),
      })),
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

  deletionRoutes(server, ctx)
}

const deletionView = (row: DeletionRow) => ({
  ...row,
  decided_at: wireTimeOrNull(row.decided_at),
  created_at: wireTime(row.created_at),
})

function deletionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const tags = ['Administration']
  const access = { ability }
  const get = async (request: FastifyRequest): Promise<DeletionRow> => {
    const row = await findDeletion(sql, (request.params as { deletion: number }).deletion)
    if (!row) throw notFound()
    return row
  }

  server.get(
    '/admin/news/deletions',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List requests to delete published articles',
        querystring: DeletionQuery,
        response: { 200: Listing(DeletionRecord) },
      },
    },
    async (request) => {
      const { data, total } = await listDeletions(sql, request.query)
      return { data: data.map(deletionView), total }
    },
  )

  server.get(
    '/admin/news/deletions/:deletion',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Read a request to delete an article',
        params: DeletionParams,
        response: { 200: DeletionRecord },
      },
    },
    async (request) => deletionView(await get(request)),
  )

  server.patch(
    '/admin/news/deletions/:deletion',
    {
      config: { access, before: get },
      schema: {
        tags,
        summary: 'Delete the article, or reject the request; its author is told',
        params: DeletionParams,
        body: DeletionBody,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const row = await get(request)
      const { action, mark = null } = request.body
      await transaction(sql, async (tx) => {
        await settleDeletion(ctx, tx, row.id, { accept: action === 'accept', mark, by: viewerOf(request).id })
        await recordAudit(tx, request, {
          action: `news.deletion.${action}`,
          subjectType: 'news',
          subjectId: row.news_id,
          before: { title: row.title, user_id: row.user_id },
          after: { mark },
        })
      })
      return reply.code(204).send()
    },
  )
}
