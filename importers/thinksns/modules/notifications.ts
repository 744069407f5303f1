import { aboutDeleted, type NotificationType, withdrawStrays } from '#modules/notifications/index.ts'
import type { Db, Tx } from '#platform/database'
import { classOf, kindOf, readObject } from '../classes.ts'
import { replaceNotes } from '../database/state.ts'
import { type Batch, defineTable, type ImportStep, type SourceRow } from '../database/table.ts'
import { replaced } from '../database/vanishing.ts'
import { relation, upsert } from '../database/write.ts'

const COLUMNS = {
  id: 'text',
  type: 'text',
  notifiable_type: 'text',
  notifiable_id: 'int',
  data: 'text',
  read_at: 'time',
  created_at: 'time',
} as const
type Row = SourceRow<typeof COLUMNS>

const TYPES: Record<string, NotificationType | undefined> = {
  At: 'at',
  Comment: 'comment',
  Like: 'like',
  Follow: 'follow',
  System: 'system',
  UserNotification: 'system',
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Reference = { type: string; id: number }
type Told = { senderId: number; cause: Reference; data: Record<string, unknown> }

const NOWHERE: Reference = { type: 'other', id: 0 }

function referenceOf(value: unknown): Reference | undefined {
  const { type, id } = (value ?? {}) as { type?: unknown; id?: unknown }
  const kind = typeof type === 'string' ? kindOf(type) : undefined
  return kind !== undefined && Number.isSafeInteger(Number(id)) ? { type: kind, id: Number(id) } : undefined
}

const idOf = (value: unknown): number => {
  const id = Number((value as { id?: unknown } | null | undefined)?.id)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

const SUBJECTS: Record<string, string> = {
  feed: 'feeds',
  news: 'news',
  comment: 'comments',
  topic: 'feed-topics',
  question: 'questions',
  answer: 'question-answers',
  group: 'groups',
  post: 'group-posts',
}

function systemNotice(data: Record<string, unknown>): Told {
  const { sender, content, channel, extra: _, ...rest } = data
  const subject = Object.entries(SUBJECTS).find(([name]) => idOf(data[name]) > 0)
  const cause = subject ? { type: subject[1], id: idOf(data[subject[0]]) } : NOWHERE
  // Old versions of ThinkSNS+ stored the whole sentence in `content`.
  const told = typeof content === 'string' ? { contents: content, type: 'notice', channel } : {}
  // The source uses `question:answer` for an adopted answer, and Kith for a new answer.
  const adopted = rest.type === 'question:answer' ? { type: 'qa:answer-adoption' } : {}
  return { senderId: idOf(sender), cause, data: { ...rest, ...adopted, ...told, resource: cause } }
}

function toldBy(type: NotificationType, data: Record<string, unknown>): Told {
  if (type === 'system') return systemNotice(data)
  if (type === 'follow') return { senderId: idOf(data), cause: { type: 'users', id: 0 }, data: {} }
  const { sender, ...rest } = data
  if (type === 'comment') {
    const commentable = referenceOf(rest.commentable) ?? NOWHERE
    return { senderId: idOf(sender), cause: commentable, data: { ...rest, commentable } }
  }
  const resource = referenceOf(rest.resource) ?? NOWHERE
  return { senderId: idOf(sender), cause: resource, data: { ...rest, resource } }
}

type Standing = { total: number; last: number; readUpTo: number; readAt: string | null; unread: number }
type Tally = { seq: number; types: Map<NotificationType, Standing> }

function tallyOf(batch: Batch, userId: number): Tally {
  const key = `person ${userId}`
  const known = batch.memory.get(key) as Tally | undefined
  if (known) return known
  const tally: Tally = { seq: 0, types: new Map() }
  batch.memory.set(key, tally)
  return tally
}

/**
 * Counts a notification. If it was read, marks all earlier unread notifications of its type as read and
 * returns their number.
 */
function count(tally: Tally, type: NotificationType, readAt: string | null): number {
  const standing = tally.types.get(type) ?? { total: 0, last: 0, readUpTo: 0, readAt: null, unread: 0 }
  tally.types.set(type, standing)
  standing.total += 1
  standing.last = tally.seq
  standing.unread += 1
  // A read notification marks all earlier ones as read, because Kith stores one read position per type.
  if (readAt === null) return 0
  const passed = standing.unread - 1
  Object.assign(standing, { readUpTo: tally.seq, readAt, unread: 0 })
  return passed
}

async function writeNotifications(tx: Tx, rows: Row[], batch: Batch): Promise<void> {
  const people = await batch.find(
    'users',
    rows.map((row) => row.notifiable_id),
  )
  const fresh = new Set<number>()
  const concerned = new Set<number>()
  const given = rows.flatMap((row) => {
    const userId = row.notifiable_id ?? 0
    const type = TYPES[classOf(row.type)]
    const data = readObject(row.data)
    if (kindOf(row.notifiable_type) !== 'users' || !people.has(userId))
      batch.leaveOut(row, 'the user no longer exists')
    else if (type === undefined) batch.leaveOut(row, 'unsupported type')
    else if (data === undefined || !UUID.test(row.id ?? '')) batch.leaveOut(row, 'unreadable data')
    else {
      if (!batch.memory.has(`person ${userId}`)) fresh.add(userId)
      const tally = tallyOf(batch, userId)
      tally.seq += 1
      const passed = count(tally, type, row.read_at)
      if (passed > 0)
        batch.mend(row, 'older unread notifications of the type marked as read', {
          column: 'read_at',
          new: { read: passed },
        })
      concerned.add(userId)
      const { senderId, cause, data: told } = toldBy(type, data)
      if (cause === NOWHERE && (data.resource ?? data.commentable))
        batch.mend(row, 'refers to an unsupported kind of content', { column: 'data', new: told })
      if (type === 'system' && Object.keys(data.extra ?? {}).length > 0)
        batch.mend(row, 'unused fields removed', { column: 'data', new: told })
      return [
        {
          user_id: userId,
          seq: tally.seq,
          id: row.id,
          type,
          sender_id: senderId,
          data: told,
          cause_type: cause.type,
          cause_id: type === 'follow' ? userId : cause.id,
          created_at: row.created_at ?? new Date(0).toISOString(),
        },
      ]
    }
    return []
  })
  await tx`delete from notifications where user_id = any(${[...fresh]})`
  await tx`delete from notification_reads where user_id = any(${[...fresh]})`
  const columns = {
    user_id: 'bigint',
    seq: 'bigint',
    id: 'uuid',
    type: 'text',
    sender_id: 'bigint',
    data: 'jsonb',
    cause_type: 'text',
    cause_id: 'bigint',
    created_at: 'timestamptz',
  }
  await upsert(tx, 'notifications', columns, given, { key: ['user_id', 'seq'] })
  await writeStandings(tx, [...concerned], batch)
}

async function writeStandings(sql: Db, people: number[], batch: Batch): Promise<void> {
  const tallies = people.map((userId) => ({ userId, ...tallyOf(batch, userId) }))
  await upsert(
    sql,
    'notification_cursors',
    { user_id: 'bigint', last_seq: 'bigint' },
    tallies.map(({ userId, seq }) => ({ user_id: userId, last_seq: seq })),
    { key: ['user_id'] },
  )
  const standings = tallies.flatMap(({ userId, types }) =>
    [...types].map(([type, { total, last, readUpTo, readAt, unread }]) => ({
      user_id: userId,
      type,
      unread,
      total,
      last_seq: last,
      read_seq: readUpTo,
      read_at: readAt,
    })),
  )
  const columns = {
    user_id: 'bigint',
    type: 'text',
    unread: 'bigint',
    total: 'bigint',
    last_seq: 'bigint',
    read_seq: 'bigint',
  }
  await upsert(sql, 'notification_counts', columns, standings, { key: ['user_id', 'type'] })
  await sql`
    insert into notification_reads (user_id, type, seq, read_at)
    select user_id, type, read_seq, read_at
    from ${relation(sql, { ...columns, read_at: 'timestamptz' }, standings)} where read_at is not null
    on conflict (user_id, type, seq) do nothing`
}

const WITHDRAWN = 'withdrawn notifications'
const WITHDRAWN_AT_ONCE = 2000

/** Withdraws unread notifications about deleted content, as Kith does when content is deleted. */
export const withdrawUnread: ImportStep = {
  name: WITHDRAWN,
  run: ({ transaction }) =>
    transaction(async (tx) => {
      for await (const gone of withdrawStrays(tx))
        await upsert(
          tx,
          'import_withdrawn',
          { user_id: 'bigint', id: 'uuid', cause_type: 'text', cause_id: 'bigint' },
          gone.map(({ user_id, id, cause_type, cause_id }) => ({ user_id, id, cause_type, cause_id })),
          { key: ['user_id', 'id'] },
        )
      await replaceNotes(
        tx,
        { step: 'notifications', outcome: 'left out', reason: 'unread, about deleted content: withdrawn' },
        tx`select id::text as key, null as name, null::jsonb as was, null::jsonb as became from import_withdrawn`,
      )
    }),
}

/** Has notifications be read again that an earlier run withdrew, and whose content has returned since. */
export const findReturned: ImportStep = {
  name: 'notifications about returned content',
  async run({ transaction, changed }) {
    for (let last = { user_id: 0, id: '00000000-0000-0000-0000-000000000000' }; ; ) {
      const [rows, deleted] = await transaction(async (tx) => {
        const found = await tx<{ user_id: number; id: string; cause_type: string; cause_id: number }[]>`
          select user_id, id, cause_type, cause_id from import_withdrawn
          where (user_id, id) > (${last.user_id}, ${last.id}::uuid) order by user_id, id limit ${WITHDRAWN_AT_ONCE}`
        return [found, new Set(await aboutDeleted(tx, found))] as const
      })
      await changed(WITHDRAWN, [
        ...new Set(rows.filter((row) => !deleted.has(row)).map(({ user_id }) => user_id)),
      ])
      const end = rows.at(-1)
      if (!end) return
      last = end
    }
  },
}

const notifications = defineTable({
  table: 'notifications',
  by: 'notifiable_id',
  scope: 'notifiable_type',
  width: 200,
  into: [
    {
      table: 'notifications',
      key: { user_id: 'notifiable_id', id: 'id' },
      columns: {
        type: { as: (name) => TYPES[classOf(name as string | null)] },
        notifiable_type: null,
        notifiable_id: null,
        data: null,
        read_at: null,
      },
    },
  ],
  key: ['id'],
  gone: replaced(
    ...[
      ...['notifications', 'notification_reads', 'notification_counts', 'notification_cursors'],
      'import_withdrawn',
    ].map((table) => ({ table, by: 'user_id' })),
  ),
  reads: { users: ['notifiable_id'], [WITHDRAWN]: ['notifiable_id'] },
  order: ['created_at', 'id'],
  columns: COLUMNS,
  write: writeNotifications,
})

type OldNotice = { id: number; userId: number; contents: string; to: number | null; createdAt: string }

export async function importNotices(sql: Db, notices: OldNotice[]): Promise<void> {
  const rows = notices.map(({ id, userId, contents, to, createdAt }) => ({
    id,
    user_id: userId,
    contents,
    user_ids: to === null ? null : [to],
    status: 'sent',
    sent: to === null ? 0 : 1,
    total: to === null ? 0 : 1,
    created_at: createdAt,
    finished_at: createdAt,
  }))
  const columns = {
    id: 'bigint',
    user_id: 'bigint',
    contents: 'text',
    user_ids: 'bigint[]',
    status: 'text',
    sent: 'bigint',
    total: 'bigint',
    created_at: 'timestamptz',
    finished_at: 'timestamptz',
  }
  await upsert(sql, 'notices', columns, rows)
}

export const notificationTables = [notifications]
