import type { FastifyReply } from 'fastify'
import { escapeLike } from '#lib/text.ts'
import { wireTime } from '#lib/time.ts'
import { recordAudit } from '#modules/audit/index.ts'
import { stopNotice } from '#modules/notifications/index.ts'
import { UserView, withUser } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { andAfterCursor, type Db, ifGiven, listingClause, type Row, transaction } from '#platform/database'
import { notFound } from '#platform/errors.ts'
import {
  Cursor,
  Empty,
  Flag,
  Id,
  Limit,
  Listing,
  listingQuery,
  localizedMessage,
  Nullable,
  OneOf,
  pageOf,
  rateExceeded,
  routesOn,
  type Server,
  Shared,
  type Static,
  setRateHeaders,
  Text,
  Time,
  Type,
  WithAlias,
} from '#platform/http'

/** Accepts a mark as text, because clients send the user id followed by milliseconds, which may exceed 2^53. */
const SystemMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: 1e20,
  maxLength: 30,
  pattern: '^[0-9]+$',
  description: 'Identifier that the client chose',
})

const NewFeedback = Shared('NewFeedback', {
  content: Text(5000, { minLength: 1 }),
  system_mark: Type.Optional(SystemMark),
})

const ConversationView = Shared('Conversation', {
  id: Type.Integer(),
  type: Type.String({ description: 'system or feedback' }),
  user_id: Type.Integer({ description: 'Sender; 0 for the site' }),
  to_user_id: Type.Integer({ description: 'Recipient; 0 for the site or for all users' }),
  content: Type.String(),
  options: Type.Null(),
  system_mark: Type.Integer(),
  created_at: Time,
  updated_at: Time,
})
type ConversationView = Static<typeof ConversationView>

const FeedbackReply = Shared('FeedbackMade', {
  message: Type.Array(Type.String()),
  data: ConversationView,
})

/**
 * With `order`, returns rows newer than `max_id`, and otherwise older rows. Lists the newest row first in both cases
 * (notifications-15).
 */
const ConversationQuery = Type.Object({
  limit: Limit(),
  max_id: Cursor,
  after: WithAlias('max_id', Cursor),
  order: Type.Optional(Flag()),
})
type ConversationQuery = Static<typeof ConversationQuery>

type ConversationRow = Row<'feedback', 'id' | 'user_id' | 'content' | 'system_mark' | 'created_at'> & {
  type: 'system' | 'feedback'
  to_user_id: number
}

const feedbackColumns = (sql: Db) => sql`
  id, 'feedback' as type, user_id, 0::bigint as to_user_id, content, system_mark, created_at`

const noticeColumns = (sql: Db, toUserId: number) => sql`
  id, 'system' as type, 0::bigint as user_id, ${toUserId}::bigint as to_user_id, contents as content,
  (extract(epoch from created_at)::bigint * 1000) as system_mark, created_at`

async function insertFeedback(
  sql: Db,
  userId: number,
  { content, mark }: { content: string; mark: number | null },
): Promise<ConversationRow> {
  const [row] = await sql<[ConversationRow]>`
    insert into feedback (user_id, content, system_mark)
    values (${userId}, ${content}, coalesce(${mark}, extract(epoch from now())::bigint * 1000))
    returning ${feedbackColumns(sql)}`
  return row
}

const listConversations = (sql: Db, userId: number, query: ConversationQuery) => {
  const { limit = 15, max_id: cursor = 0, order = false } = query
  const beyond = andAfterCursor(sql, sql`id`, cursor, order ? 'asc' : 'desc')
  return sql<ConversationRow[]>`
    (select ${feedbackColumns(sql)} from feedback
      where user_id = ${userId} ${beyond} order by id desc limit ${limit})
    union all
    (select ${noticeColumns(sql, 0)} from notices
      where user_ids is null and status <> 'withdrawn' ${beyond} order by id desc limit ${limit})
    union all
    (select ${noticeColumns(sql, userId)} from notices
      where user_ids @> array[${userId}::bigint] and status <> 'withdrawn' ${beyond} order by id desc limit ${limit})
    order by id desc limit ${limit}`
}

async function deleteFeedback(sql: Db, id: number): Promise<number | undefined> {
  const [row] = await sql<{ user_id: number }[]>`delete from feedback where id = ${id} returning user_id`
  return row?.user_id
}

export const deleteFeedbackOf = (sql: Db, userId: number) => sql`
  delete from feedback where user_id = ${userId}`

const ConversationRecord = Shared('ConversationRecord', {
  id: Type.Integer(),
  type: Type.String({ description: 'system or feedback' }),
  user_id: Type.Integer(),
  to_user_ids: Nullable(Type.Array(Type.Integer(), { description: 'null for all users' })),
  content: Type.String(),
  created_at: Time,
  user: Nullable(UserView),
})

const ConversationSearch = Type.Object({
  ...listingQuery(['id']),
  type: Type.Optional(OneOf(['system', 'feedback'] as const)),
  user_id: Type.Optional(Id),
})
type ConversationSearch = Static<typeof ConversationSearch>

const ConversationParams = Type.Object({ conversation: Id })

type ConversationRecordRow = {
  id: number
  type: 'system' | 'feedback'
  user_id: number
  to_user_ids: number[] | null
  content: string
  created_at: string
}

const parts = (sql: Db) => ({
  feedback: sql`
    select id, 'feedback' as type, user_id, '{}'::bigint[] as to_user_ids, content, created_at from feedback`,
  system: sql`
    select id, 'system' as type, user_id, user_ids as to_user_ids, contents as content, created_at from notices
    where status <> 'withdrawn'`,
})

function listConversationRecords(sql: Db, search: ConversationSearch) {
  const { q, type, user_id: userId } = search
  const { feedback, system } = parts(sql)
  const from = type === undefined ? sql`${feedback} union all ${system}` : { feedback, system }[type]
  const where = sql`
    where true
      ${ifGiven(sql, userId, (id) => sql`and user_id = ${id}`)}
      ${ifGiven(sql, q, (part) => sql`and content ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<ConversationRecordRow>(
    sql,
    sql`select * from (${from}) as c ${where}
      ${listingClause(sql, search, { id: sql`id` })}`,
    sql`select count(*)::int as total from (${from}) as c ${where}`,
  )
}

export function adminConversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Admin: moderation' })
  const access = { ability: 'admin: conversations' }

  route('GET /admin/conversations', {
    operationId: 'adminListConversations',
    summary: 'List feedback and notices',
    access,
    personal: true,
    query: ConversationSearch,
    reply: { 200: Listing(ConversationRecord) },
    handler: async ({ query, viewer }) => {
      const { data, total } = await listConversationRecords(sql, query)
      const shown = data.map((row) => ({ ...row, created_at: wireTime(row.created_at) }))
      return { data: await withUser(ctx, shown, viewer.id), total }
    },
  })

  route('DELETE /admin/conversations/:conversation', {
    operationId: 'adminDeleteConversation',
    summary: 'Delete feedback or withdraw a notice',
    access,
    params: ConversationParams,
    reply: { 204: Empty },
    errors: [notFound],
    handler: (call) =>
      transaction(sql, async (tx) => {
        const { conversation: id } = call.params
        const userId = await deleteFeedback(tx, id)
        if (userId !== undefined)
          return recordAudit(tx, call, {
            action: 'feedback.delete',
            subjectType: 'feedback',
            subjectId: id,
            before: { user_id: userId },
          })
        const contents = await stopNotice(tx, id)
        if (contents === undefined) throw notFound()
        await recordAudit(tx, call, {
          action: 'notices.withdraw',
          subjectType: 'notices',
          subjectId: id,
          before: { contents },
        })
      }),
  })
}

/** Feedback and notices are immutable, so `updated_at` equals `created_at`. */
function conversationView(row: ConversationRow): ConversationView {
  const created_at = wireTime(row.created_at)
  return { ...row, options: null, created_at, updated_at: created_at }
}

/** Stays below the maximum of a bigint. The server replaces a larger mark with the current time. */
const MARK_MAX = 9e18

export function conversationRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Conversations' })

  /**
   * Uses a separate bucket of the rate limit for sensitive operations, so that feedback never blocks a
   * sign-in.
   */
  const limit = async (reply: FastifyReply, userId: number) => {
    const allowed = ctx.config.rateLimits.sensitive
    if (allowed === 0) return
    const state = await ctx.limiter.hit(`sensitive:feedback:${userId}`, allowed)
    setRateHeaders(reply, state)
    if (state.exceeded) throw rateExceeded(state)
  }

  route('POST /user/feedback', {
    operationId: 'createFeedback',
    summary: 'Send feedback to the administrators',
    access: 'user',
    body: NewFeedback,
    reply: { 201: FeedbackReply },
    handler: async ({ viewer, body, request, reply }) => {
      await limit(reply, viewer.id)
      const mark = Number(body.system_mark ?? Infinity)
      const row = await insertFeedback(sql, viewer.id, {
        content: body.content,
        mark: mark <= MARK_MAX ? mark : null,
      })
      return {
        ...localizedMessage(request, 'Thank you for your feedback.', '感谢你的反馈。'),
        data: conversationView(row),
      }
    },
  })

  route('GET /user/conversations', {
    operationId: 'listConversations',
    aliases: { listConversationsByOldPath: '/conversations' },
    summary: 'List my feedback and received notices, newest first',
    access: 'user',
    query: ConversationQuery,
    reply: { 200: Type.Array(ConversationView) },
    handler: async ({ viewer, query }) =>
      (await listConversations(sql, viewer.id, query)).map(conversationView),
  })
}
