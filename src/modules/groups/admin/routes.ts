import { userViews } from '#modules/accounts/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database.ts'
import { fieldError, notFound } from '#platform/errors.ts'
import { routesOn } from '#platform/http/route.ts'
import type { Server } from '#platform/http.ts'
import { Listing } from '#platform/listing.ts'
import { Created, Empty } from '#platform/schema.ts'
import { noSuchGroup, unknownCategory } from '../errors.ts'
import { GroupParams } from '../schema.ts'
import { groupViews } from '../view.ts'
import {
  deleteRecommend,
  findGroupRecord,
  type GroupRecordRow,
  listGroupRecords,
  listRecommendRecords,
  saveRecommend,
  setCategory,
} from './queries.ts'
import { GroupQuery, GroupRecord, GroupReview, NewRecommendation, RecommendQuery } from './schema.ts'
import { auditedAlready, auditGroup, removeGroup } from './service.ts'

const unknownGroup = fieldError('group_id', 'no_such_group', 'There is no such group.', '圈子不存在。')

/** What of a group an audit record holds. */
const summary = ({ name, category_id, mode, audit, founder_id, recommended }: GroupRecordRow) => ({
  name,
  category_id,
  mode,
  audit,
  founder_id,
  recommended,
})

/** Groups and recommendations of them under /admin (groups-29 to groups-31). */
export function adminGroupRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: groups' })
  const access = { ability: 'admin: groups' }

  const views = async (rows: GroupRecordRow[], viewerId: number): Promise<GroupRecord[]> => {
    const founders = rows.map((row) => row.founder_id ?? 0)
    const [groups, people] = await Promise.all([
      groupViews(ctx, rows, viewerId),
      userViews(ctx, sql, founders, viewerId),
    ])
    return rows.map((row, n) => ({
      ...groups[n]!,
      join_income_count: row.join_income_count,
      pinned_income_count: row.pinned_income_count,
      founder: people.get(row.founder_id ?? 0) ?? null,
      recommended: row.recommended,
    }))
  }
  const getGroup = async (id: number) => {
    const row = await findGroupRecord(sql, id)
    if (!row) throw noSuchGroup()
    return row
  }
  const change = (
    actor: Actor,
    id: number,
    action: string,
    work: (tx: Tx, row: GroupRecordRow) => Promise<unknown>,
  ) =>
    transaction(sql, async (tx) => {
      const row = await findGroupRecord(tx, id, { lock: true })
      if (!row) throw noSuchGroup()
      await work(tx, row)
      const after = await findGroupRecord(tx, row.id)
      await recordAudit(tx, actor, {
        action: `groups.${action}`,
        subjectType: 'groups',
        subjectId: row.id,
        before: summary(row),
        after: after ? summary(after) : null,
      })
    })

  route('GET /admin/groups', {
    operationId: 'adminListGroups',
    summary: 'List groups of every state',
    access,
    query: GroupQuery,
    reply: { 200: Listing(GroupRecord) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listGroupRecords(sql, query)
      return { data: await views(data, viewer.id), total }
    },
  })

  route('GET /admin/groups/:group', {
    operationId: 'adminGetGroup',
    summary: 'Read a group',
    access,
    params: GroupParams,
    reply: { 200: GroupRecord },
    errors: [noSuchGroup],
    handler: async ({ params, viewer }) => (await views([await getGroup(params.group)], viewer.id))[0]!,
  })

  route('PATCH /admin/groups/:group', {
    operationId: 'adminUpdateGroup',
    summary: 'Let a group pass, reject or close it, or move it to another category',
    access,
    params: GroupParams,
    body: GroupReview,
    reply: { 204: Empty },
    errors: [noSuchGroup, auditedAlready, unknownCategory],
    whenInvalid: ({ params }) => getGroup(params.group),
    handler: (call) =>
      change(call, call.params.group, 'update', async (tx, { id }) => {
        const { audit, category_id } = call.body
        if (audit !== undefined) await auditGroup(tx, id, audit)
        if (category_id !== undefined)
          await onConstraint(setCategory(tx, id, category_id), { groups_category: unknownCategory })
      }),
  })

  route('DELETE /admin/groups/:group', {
    operationId: 'adminDeleteGroup',
    summary: 'Delete a group with all posts; who waits to join gets the fee back',
    access,
    params: GroupParams,
    reply: { 204: Empty },
    errors: [noSuchGroup],
    handler: (call) => change(call, call.params.group, 'delete', (tx, { id }) => removeGroup(ctx, tx, id)),
  })

  route('GET /admin/group-recommends', {
    operationId: 'adminListGroupRecommendations',
    summary: 'List recommended groups',
    access,
    query: RecommendQuery,
    reply: { 200: Listing(GroupRecord) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listRecommendRecords(sql, query)
      return { data: await views(data, viewer.id), total }
    },
  })

  route('POST /admin/group-recommends', {
    operationId: 'adminCreateGroupRecommendation',
    summary: 'Recommend a group, or give it another place',
    access,
    body: NewRecommendation,
    reply: { 201: Created },
    errors: [unknownGroup],
    handler: async (call) => {
      const { group_id: id, sort_by = 0 } = call.body
      await transaction(sql, async (tx) => {
        if (!(await findGroupRecord(tx, id, { lock: true }))) throw unknownGroup()
        await saveRecommend(tx, id, sort_by, call.viewer.id)
        await recordAudit(tx, call, {
          action: 'groups.recommend',
          subjectType: 'groups',
          subjectId: id,
          after: { sort_by },
        })
      })
      return { id }
    },
  })

  route('DELETE /admin/group-recommends/:group', {
    operationId: 'adminDeleteGroupRecommendation',
    summary: 'Recommend a group no longer',
    access,
    params: GroupParams,
    reply: { 204: Empty },
    errors: [noSuchGroup],
    handler: (call) =>
      change(call, call.params.group, 'unrecommend', async (tx, { id }) => {
        if (!(await deleteRecommend(tx, id))) throw notFound()
      }),
  })
}
