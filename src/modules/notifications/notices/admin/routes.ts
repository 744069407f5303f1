import { escapeLike } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { mountAdminRecords, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, ifGiven, listingClause, transaction } from '#platform/database'
import { invalidField, notFound } from '#platform/errors.ts'
import {
  Created,
  Empty,
  Flag,
  Id,
  IdList,
  listingQuery,
  Nullable,
  OneOf,
  pageOf,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import type { NoticeRow } from '../service.ts'
import { findUnreachable, sendNotice, stopNotice, updateNotice } from '../service.ts'

const contents = Text(5000, { minLength: 1 })

const NoticeInput = Shared('NewNotice', {
  user_ids: Type.Optional(IdList(1000)),
  all: Type.Optional(Flag()),
  contents,
})

const NoticeChanges = Shared('NoticeChanges', { contents: Type.Optional(contents) })

const NoticeView = Shared('Notice', {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'Sender' }),
  contents: Type.String(),
  all: Type.Boolean(),
  user_ids: Nullable(Type.Array(Type.Integer())),
  status: Type.String({ description: 'sending or sent' }),
  sent: Type.Integer({ description: 'Number of users notified so far' }),
  total: Type.Integer({ description: 'Number of recipients; 0 until a notice to all users has started' }),
  created_at: Time,
  finished_at: Nullable(Time),
})

const NoticeQuery = Type.Object({
  ...listingQuery(['id', 'sent']),
  status: Type.Optional(OneOf(['sending', 'sent'] as const)),
})
type NoticeQuery = Static<typeof NoticeQuery>

const columns = (sql: Db) =>
  sql`id, user_id, contents, user_ids, status, sent, total, created_at, finished_at`

function listNotices(sql: Db, { sort = 'id', order, q, status, ...page }: NoticeQuery) {
  const where = sql`
    where status <> 'withdrawn'
      ${ifGiven(sql, status, (value) => sql`and status = ${value}`)}
      ${ifGiven(sql, q, (part) => sql`and contents ilike ${`%${escapeLike(part)}%`}`)}`
  const by = sort === 'sent' ? sql`sent` : undefined
  return pageOf<NoticeRow>(
    sql,
    sql`select ${columns(sql)} from notices ${where}
      ${listingClause(sql, { order, ...page }, { id: sql`id`, by, from: sql`notices` })}`,
    sql`select count(*)::int as total from notices ${where}`,
  )
}

async function findNotice(sql: Db, id: number): Promise<NoticeRow | undefined> {
  const [row] = await sql<NoticeRow[]>`
    select ${columns(sql)} from notices where id = ${id} and status <> 'withdrawn'`
  return row
}

const view = (row: NoticeRow) => ({
  ...row,
  all: row.user_ids === null,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
})

export function adminNoticeRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: site' })
  const access = { ability: 'admin:notice:send' }
  const params = Type.Object({ notice: Id })

  const { get } = mountAdminRecords(server, ctx, {
    path: '/admin/notices',
    tag: 'Admin: site',
    ability: access.ability,
    subject: 'notices',
    entity: 'Notice',
    noun: 'a notice with its progress',
    nouns: 'notices sent, with their progress',
    param: 'notice',
    item: NoticeView,
    query: NoticeQuery,
    list: listNotices,
    find: findNotice,
    view: async (rows) => rows.map(view),
  })

  route('POST /admin/notices', {
    operationId: 'adminSendNotice',
    summary: 'Send a notice to some users or to all',
    access,
    body: NoticeInput,
    reply: { 201: Created },
    handler: async (call) => {
      const { user_ids, all = false, contents } = call.body
      const userIds = [...new Set(user_ids ?? [])]
      if (all === userIds.length > 0)
        throw invalidField('user_ids', {
          en: 'Send either user_ids or all.',
          zh: '用户与全部用户必须且只能提供一个。',
        })
      const [unknown] = await findUnreachable(sql, userIds)
      if (unknown !== undefined)
        throw invalidField('user_ids', { en: `There is no user ${unknown}.`, zh: `用户 ${unknown} 不存在。` })
      const id = await transaction(sql, async (tx) => {
        const notice = { userId: call.viewer.id, contents, userIds: all ? null : userIds }
        const made = await sendNotice(tx, notice)
        await recordAudit(tx, call, {
          action: 'notices.send',
          subjectType: 'notices',
          subjectId: made,
          after: { contents, ...(all ? { all } : { user_ids: userIds }) },
        })
        return made
      })
      return { id }
    },
  })

  route('PATCH /admin/notices/:notice', {
    operationId: 'adminUpdateNotice',
    summary: 'Change the text of a notice, also for users already notified',
    access,
    params,
    body: NoticeChanges,
    reply: { 204: Empty },
    precheck: ({ params }) => get(params.notice),
    handler: async (call) => {
      const { notice } = call.params
      const { contents } = call.body
      if (contents === undefined) {
        await get(notice)
        return
      }
      await transaction(sql, async (tx) => {
        const former = await updateNotice(tx, notice, contents)
        if (former === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.update',
          subjectType: 'notices',
          subjectId: notice,
          before: { contents: former },
          after: { contents },
        })
      })
    },
  })

  route('DELETE /admin/notices/:notice', {
    operationId: 'adminWithdrawNotice',
    summary: 'Stop a notice and remove it for users who have not read it',
    access,
    params,
    reply: { 204: Empty },
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { notice } = call.params
        const contents = await stopNotice(tx, notice)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: notice,
          before: { contents },
        })
      }),
  })
}
