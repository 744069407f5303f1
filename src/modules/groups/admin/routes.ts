import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import { moveFunds, PLATFORM_ACCOUNTS } from '#modules/ledger/index.ts'
import { notify, withdrawContent } from '#modules/notifications/index.ts'
import { userViews } from '#modules/users/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { onConstraint, type Tx, transaction } from '#platform/database'
import { apiError, fieldError, notFound } from '#platform/errors.ts'
import { Created, Empty, Listing, routesOn, type Server } from '#platform/http'
import { addJob } from '#platform/jobs'
import { noSuchGroup, unknownCategory } from '../errors.ts'
import { closeRequests } from '../members/queries.ts'
import { REQUESTS } from '../members/schema.ts'
import { addToTotal, markDeleted, setAudit } from '../queries.ts'
import { GROUPS, GroupParams } from '../schema.ts'
import { groupViews } from '../view.ts'
import {
  deleteRecommend,
  findGroupRecord,
  GroupQuery,
  GroupRecord,
  type GroupRecordRow,
  GroupReview,
  listGroupRecords,
  listRecommendRecords,
  NewRecommendation,
  RecommendQuery,
  saveRecommend,
  setCategory,
} from './queries.ts'

const auditedAlready = apiError(
  422,
  'group_audited_already',
  'The group is already in this state.',
  '圈子已处于该状态。',
)

export async function auditGroup(tx: Tx, id: number, audit: 1 | 2): Promise<void> {
  const changed = await setAudit(tx, id, audit)
  if (!changed) throw auditedAlready()
  if (audit === 1) await addToTotal(tx, 1)
  else if (changed.was === 1) await addToTotal(tx, -1)
  await notify(tx, {
    type: 'system',
    recipients: [changed.founder],
    senderId: 0,
    // Publishes no webhook event for an unapproved group, because guests cannot see the group.
    hidesRecipients: audit !== 1,
    cause: { type: GROUPS, id },
    data: {
      type: 'group:audit',
      state: audit === 1 ? 'passed' : 'rejected',
      resource: { type: GROUPS, id },
      group: { id, name: changed.name },
    },
  })
}

async function removeGroup(ctx: Context, tx: Tx, id: number): Promise<void> {
  const gone = await markDeleted(tx, id)
  if (!gone) throw noSuchGroup()
  if (gone.audit === 1) await addToTotal(tx, -1)
  const waiting = await closeRequests(tx, id)
  await moveFunds(
    tx,
    waiting.map(({ id: request, user_id, fee, currency }) => ({
      currency,
      from: PLATFORM_ACCOUNTS.escrow,
      to: user_id,
      amount: fee,
      kind: 'membership:refunded',
      subject: { type: REQUESTS, id: request },
    })),
  )
  await withdrawContent(tx, { type: GROUPS, ids: [id] })
  await addJob(tx, 'remove_group', { id })
  await publishEvent(ctx, tx, 'group.deleted', { id })
}

const unknownGroup = fieldError('group_id', 'no_such_group', 'This group does not exist.', '圈子不存在。')

const summary = ({ name, category_id, mode, audit, founder_id, recommended }: GroupRecordRow) => ({
  name,
  category_id,
  mode,
  audit,
  founder_id,
  recommended,
})

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

  const { change, get } = mountAdminRecords(server, ctx, {
    path: '/admin/groups',
    tag: 'Admin: groups',
    ability: access.ability,
    subject: 'groups',
    entity: 'Group',
    noun: 'a group',
    nouns: 'groups of every state',
    param: 'group',
    item: GroupRecord,
    query: GroupQuery,
    missing: noSuchGroup,
    list: listGroupRecords,
    find: findGroupRecord,
    view: views,
    summary,
  })

  route('PATCH /admin/groups/:group', {
    operationId: 'adminUpdateGroup',
    summary: 'Approve, reject, close or recategorize a group',
    access,
    params: GroupParams,
    body: GroupReview,
    reply: { 204: Empty },
    errors: [noSuchGroup, auditedAlready, unknownCategory],
    precheck: ({ params }) => get(params.group),
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
    summary: 'Delete a group with all posts, and refund the fees of pending members',
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
    summary: 'Recommend a group, or change its position',
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
    summary: 'Stop recommending a group',
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
