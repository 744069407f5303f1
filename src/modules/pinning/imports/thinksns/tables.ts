import { defineTable } from '#platform/database-import/table.ts'
import { TIMES } from '#platform/database-import/times.ts'

import { type State, writePins } from './write.ts'

const DAY = 86_400_000
/** How far the moment of a decision and the end that it set may lie apart, in milliseconds. */
const AT_ONCE = 2000

const time = (text: string | null) => (text === null ? Number.NaN : Date.parse(text))

/** The state of a pin of a feed is hidden in the date of its end: a refusal sets that to the moment of deciding. */
function stateOfDate(
  {
    expires_at: end,
    created_at: created,
    updated_at: updated,
    day,
  }: {
    expires_at: string | null
    created_at: string | null
    updated_at: string | null
    day: number | null
  },
  now = Date.now(),
): State {
  if (end === null) return 'pending'
  if (time(end) > now) return 'active'
  const atDecision = Math.abs(time(end) - time(updated)) <= AT_ONCE
  return atDecision && time(end) < time(created) + (day ?? 0) * DAY ? 'rejected' : 'expired'
}

/** The other tables say it in a number, and a date when it ends by itself. */
const stateOfNumber = (state: number | null, end: string | null): State =>
  state === 2
    ? 'rejected'
    : state !== 1
      ? 'pending'
      : end !== null && time(end) > Date.now()
        ? 'active'
        : 'expired'

const feedPins = defineTable({
  table: 'feed_pinneds',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    channel: 'text',
    raw: 'int',
    target: 'int',
    user_id: 'int',
    target_user: 'int',
    amount: 'int',
    day: 'int',
    expires_at: 'time',
    ...TIMES,
  },
  write: (tx, rows, batch) =>
    writePins(
      tx,
      'feed_pinneds',
      rows.map((row) => {
        const comment = row.channel === 'comment'
        return {
          row,
          sourceId: row.id ?? 0,
          channel: comment ? 'feed:comment' : 'feed',
          kinds: { target: comment ? 'comments' : 'live-feeds', content: 'live-feeds' },
          targetId: row.target ?? 0,
          contentId: (comment ? row.raw : row.target) ?? 0,
          userId: row.user_id ?? 0,
          deciderId: comment ? (row.target_user ?? 0) : 0,
          amount: row.amount ?? 0,
          day: row.day ?? 1,
          state: stateOfDate(row),
          expiresAt: row.expires_at,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }
      }),
      batch,
    ),
})

const newsPins = defineTable({
  table: 'news_pinneds',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    channel: 'text',
    raw: 'int',
    target: 'int',
    user_id: 'int',
    state: 'int',
    target_user: 'int',
    amount: 'int',
    day: 'int',
    expires_at: 'time',
    ...TIMES,
  },
  write: (tx, rows, batch) =>
    writePins(
      tx,
      'news_pinneds',
      rows.map((row) => {
        // Of a comment `raw` is the comment and `target` the article: the other way round than in the other tables.
        const comment = row.channel === 'news:comment'
        return {
          row,
          sourceId: row.id ?? 0,
          channel: comment ? 'news:comment' : 'news',
          kinds: { target: comment ? 'comments' : 'news', content: 'news' },
          targetId: (comment ? row.raw : row.target) ?? 0,
          contentId: row.target ?? 0,
          userId: row.user_id ?? 0,
          deciderId: comment ? (row.target_user ?? 0) : 0,
          amount: row.amount ?? 0,
          day: row.day ?? 1,
          state: stateOfNumber(row.state, row.expires_at),
          expiresAt: row.expires_at ?? row.updated_at,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }
      }),
      batch,
    ),
})

const groupPins = defineTable({
  table: 'group_pinneds',
  by: 'id',
  key: ['id'],
  columns: {
    id: 'int',
    channel: 'text',
    raw: 'int',
    target: 'int',
    user_id: 'int',
    target_user: 'int',
    amount: 'int',
    day: 'int',
    expires_at: 'time',
    status: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    // A post stands in its group, which only the post itself tells.
    const groups = await batch.find(
      'groups-of-posts',
      rows.flatMap((row) => (row.channel === 'comment' ? [] : [row.target])),
    )
    await writePins(
      tx,
      'group_pinneds',
      rows.map((row) => {
        const comment = row.channel === 'comment'
        return {
          row,
          sourceId: row.id ?? 0,
          channel: comment ? 'group-post:comment' : 'group-post',
          kinds: comment
            ? { target: 'comments', content: 'group-posts' }
            : { target: 'group-posts', content: 'groups' },
          targetId: row.target ?? 0,
          contentId: (comment ? row.raw : groups.get(row.target ?? 0)) ?? 0,
          userId: row.user_id ?? 0,
          deciderId: row.target_user ?? 0,
          amount: row.amount ?? 0,
          day: row.day ?? 1,
          state: stateOfNumber(row.status, row.expires_at),
          expiresAt: row.expires_at ?? row.updated_at,
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        }
      }),
      batch,
    )
  },
})

/** Pins of feeds, articles, posts and their comments. */
export const pinTables = [feedPins, newsPins, groupPins]
