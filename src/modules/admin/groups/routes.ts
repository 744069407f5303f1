import type { FastifyRequest } from 'fastify'
import { userViews } from '#modules/accounts/index.ts'
import { auditGroup, groupViews, noSuchGroup, removeGroup, unknownCategory } from '#modules/groups/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import { invalidField, notFound } from '#platform/errors.ts'
import { type Server, viewerOf } from '#platform/http.ts'
import { Created, Empty } from '#platform/schema.ts'
import { recordAudit } from '../audit/queries.ts'
import {
  deleteRecommend,
  findGroupRecord,
  type GroupRecordRow,
  listGroupRecords,
  listRecommendRecords,
  saveRecommend,
  setCategory,
} from './queries.ts'
import {
  GroupListing,
  GroupParams,
  GroupPatch,
  GroupQuery,
  GroupRecord,
  NewRecommend,
  RecommendQuery,
} from './schema.ts'

const ability = 'admin: groups'
const tags = ['Administration']

const unknownGroup = () =>
  invalidField('group_id', { en: 'There is no such group.', zh: '圈子不存在。' }, 'no_such_group')

/** What of a circle an audit record holds. */
const summary = ({ name, category_id, mode, audit, founder_id }: GroupRecordRow) => ({
  name,
  category_id,
  mode,
  audit,
  founder_id,
})

/** Circles and recommendations of them under /admin (decisions §12). */
export function adminGroupRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const access = { ability }

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
}
