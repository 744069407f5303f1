import type { FastifyRequest } from 'fastify'
import { wireTime } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import {
  auditGroup,
  groupViews,
  noSuchCategory,
  noSuchGroup,
  noSuchPost,
  postItems,
  removeGroup,
  removePost,
  removePostComment,
  unknownCategory,
} from '#modules/groups/index.ts'
import { publishEvent } from '#modules/notifications/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import { apiError, invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import { recordRoutes } from '../records.ts'
import {
  deleteCategory,
  deleteRecommend,
  findCategoryRecord,
  findGroupRecord,
  findPostRecord,
  type GroupRecordRow,
  insertCategory,
  listCategoryRecords,
  listGroupRecords,
  listPostRecords,
  listRecommendRecords,
  type PostRecordRow,
  saveRecommend,
  setCategory,
  updateCategory,
} from './queries.ts'
import {
  CategoryQuery,
  CategoryRecord,
  CommentParams,
  GroupListing,
  GroupParams,
  GroupPatch,
  GroupQuery,
  GroupRecord,
  NewCategory,
  NewRecommend,
  PostListing,
  PostParams,
  PostQuery,
  PostRecord,
  RecommendQuery,
} from './schema.ts'

const ability = 'admin: groups'
const tags = ['Administration']

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
const unknownGroup = () =>
  invalidField('group_id', { en: 'There is no such group.', zh: '圈子不存在。' }, 'no_such_group')
const NAMES = { group_categories_name_taken: nameTaken }

/** What of a circle an audit record holds. */
const summary = ({ name, category_id, mode, audit, founder_id }: GroupRecordRow) => ({
  name,
  category_id,
  mode,
  audit,
  founder_id,
})

/** Categories, circles, recommendations and posts under /admin (decisions §12). */
export function adminGroupRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const access = { ability }

  recordRoutes(server, ctx, {
    path: '/admin/group-categories',
    ability,
    subject: 'group-categories',
    noun: 'a category of groups',
    item: CategoryRecord,
    query: CategoryQuery,
    body: NewCategory,
    missing: noSuchCategory,
    list: listCategoryRecords,
    find: findCategoryRecord,
    view: async (rows) =>
      rows.map((row) => ({
        ...row,
        created_at: wireTime(row.created_at),
        updated_at: wireTime(row.updated_at),
      })),
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

  const views = async (rows: GroupRecordRow[], viewer: number): Promise<GroupRecord[]> => {
    const [groups, people] = await Promise.all([
      groupViews(ctx, rows, viewer),
      userViews(
        ctx,
        sql,
        rows.map((row) => row.founder_id ?? 0),
        viewer,
      ),
    ])
    return rows.map((row, n) => ({
      ...groups[n]!,
      join_income_count: row.join_income_count,
      pinned_income_count: row.pinned_income_count,
      founder: people.get(row.founder_id ?? 0) ?? null,
      recommended: row.recommended,
    }))
  }
  const groupOf = (request: FastifyRequest) => (request.params as { group: number }).group
  const getGroup = async (request: FastifyRequest) => {
    const row = await findGroupRecord(sql, groupOf(request))
    if (!row) throw noSuchGroup()
    return row
  }
  const onGroup = (
    request: FastifyRequest,
    action: string,
    work: (tx: Tx, row: GroupRecordRow) => Promise<unknown>,
  ) =>
    transaction(sql, async (tx) => {
      const row = await findGroupRecord(tx, groupOf(request), { lock: true })
      if (!row) throw noSuchGroup()
      await work(tx, row)
      const after = await findGroupRecord(tx, row.id)
      await recordAudit(tx, request, {
        action: `groups.${action}`,
        subjectType: 'groups',
        subjectId: row.id,
        before: { ...summary(row), recommended: row.recommended },
        after: after ? { ...summary(after), recommended: after.recommended } : null,
      })
    })

  server.get(
    '/admin/groups',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List groups of every state',
        querystring: GroupQuery,
        response: { 200: GroupListing },
      },
    },
    async (request) => {
      const { data, total } = await listGroupRecords(sql, request.query)
      return { data: await views(data, viewerOf(request).id), total }
    },
  )

  server.get(
    '/admin/groups/:group',
    {
      config: { access },
      schema: { tags, summary: 'Read a group', params: GroupParams, response: { 200: GroupRecord } },
    },
    async (request) => (await views([await getGroup(request)], viewerOf(request).id))[0]!,
  )

  server.patch(
    '/admin/groups/:group',
    {
      config: { access, before: getGroup },
      schema: {
        tags,
        summary: 'Let a group pass, reject or close it, or move it to another category',
        params: GroupParams,
        body: GroupPatch,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { audit, category_id } = request.body
      await onGroup(request, 'update', async (tx, { id }) => {
        if (audit !== undefined) await auditGroup(tx, id, audit as 1 | 2)
        if (category_id !== undefined)
          await onConstraint(setCategory(tx, id, category_id), { groups_category: unknownCategory })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/groups/:group',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a group with all posts; who waits to join gets the fee back',
        params: GroupParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await onGroup(request, 'delete', (tx, { id }) => removeGroup(ctx, tx, id))
      return reply.code(204).send()
    },
  )

  server.get(
    '/admin/group-recommends',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List recommended groups',
        querystring: RecommendQuery,
        response: { 200: GroupListing },
      },
    },
    async (request) => {
      const { data, total } = await listRecommendRecords(sql, request.query)
      return { data: await views(data, viewerOf(request).id), total }
    },
  )

  server.post(
    '/admin/group-recommends',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Recommend a group, or give it another place',
        body: NewRecommend,
        response: { 201: Created },
      },
    },
    async (request, reply) => {
      const { group_id: id, sort_by = 0 } = request.body
      await transaction(sql, async (tx) => {
        if (!(await findGroupRecord(tx, id, { lock: true }))) throw unknownGroup()
        await saveRecommend(tx, id, sort_by, viewerOf(request).id)
        await recordAudit(tx, request, {
          action: 'groups.recommend',
          subjectType: 'groups',
          subjectId: id,
          after: { sort_by },
        })
      })
      return reply.code(201).send({ id })
    },
  )

  server.delete(
    '/admin/group-recommends/:group',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Recommend a group no longer',
        params: GroupParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await onGroup(request, 'unrecommend', async (tx, { id }) => {
        if (!(await deleteRecommend(tx, id))) throw notFound()
      })
      return reply.code(204).send()
    },
  )

  const postViews = async (rows: PostRecordRow[], viewer: number) =>
    (await postItems(ctx, rows, viewer)).map((view, n) => ({ ...view, body: rows[n]!.body }))

  server.get(
    '/admin/group-posts',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List posts of all groups',
        querystring: PostQuery,
        response: { 200: PostListing },
      },
    },
    async (request) => {
      const { data, total } = await listPostRecords(sql, request.query)
      return { data: await postViews(data, viewerOf(request).id), total }
    },
  )

  server.get(
    '/admin/group-posts/:post',
    {
      config: { access },
      schema: { tags, summary: 'Read a post', params: PostParams, response: { 200: PostRecord } },
    },
    async (request) => {
      const row = await findPostRecord(sql, request.params.post)
      if (!row) throw noSuchPost()
      return (await postViews([row], viewerOf(request).id))[0]!
    },
  )

  server.delete(
    '/admin/group-posts/:post',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a post with all that is on it',
        params: PostParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      await transaction(sql, async (tx) => {
        const row = await findPostRecord(tx, request.params.post)
        if (!row) throw noSuchPost()
        await removePost(tx, row.group_id, row.id)
        const by = viewerOf(request).id
        await publishEvent(ctx, tx, 'post.deleted', { id: row.id, group_id: row.group_id, deleted_by: by })
        await recordAudit(tx, request, {
          action: 'group-posts.delete',
          subjectType: 'group-posts',
          subjectId: row.id,
          before: { group_id: row.group_id, user_id: row.user_id, title: row.title },
        })
      })
      return reply.code(204).send()
    },
  )

  server.delete(
    '/admin/group-posts/:post/comments/:comment',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Delete a comment of a post',
        params: CommentParams,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { post, comment: id } = request.params
      await removePostComment(ctx, post, id, viewerOf(request).id, async (tx, comment) =>
        recordAudit(tx, request, {
          action: 'group-posts.delete-comment',
          subjectType: 'comments',
          subjectId: comment.id,
          before: { user_id: comment.user_id, body: comment.body },
        }),
      )
      return reply.code(204).send()
    },
  )
}
