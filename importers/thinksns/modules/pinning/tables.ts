import { defineTable, type ImportStep } from '../../database/table.ts'
import { TIMES } from '../../database/times.ts'
import { all, forgotten, released, replaced } from '../../database/vanishing.ts'
import { targetIds } from '../../database/write.ts'
import { type State, writePins } from './write.ts'

const DAY = 86_400_000
const AT_ONCE = 2000

const time = (text: string | null) => (text === null ? Number.NaN : Date.parse(text))

/** Derives the state of a feed pin from its end date. A rejected pin ends at the time of its decision. */
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

const PENDING = 'value not supported: pending'

const isKnown = (state: number | null) => [null, 0, 1, 2].includes(state)

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
  into: [
    {
      table: 'pins',
      through: 'feed_pinneds',
      columns: { id: null, channel: null, raw: null, target: null, target_user: null, expires_at: null },
    },
  ],
  key: ['id'],
  gone: all(
    released('pins', 'feed_pinneds'),
    replaced({ table: 'pins', through: 'feed_pinneds' }),
    forgotten('feed_pinneds'),
  ),
  reread: 'always',
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
        if (!comment && row.channel !== 'feed')
          batch.mend(row, 'value not supported: imported as the pin of a feed', {
            column: 'channel',
            new: 'feed',
          })
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
  into: [
    {
      table: 'pins',
      through: 'news_pinneds',
      columns: {
        id: null,
        channel: null,
        raw: null,
        target: null,
        target_user: null,
        state: null,
        expires_at: null,
      },
    },
  ],
  key: ['id'],
  gone: all(
    released('pins', 'news_pinneds'),
    replaced({ table: 'pins', through: 'news_pinneds' }),
    forgotten('news_pinneds'),
  ),
  reread: 'always',
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
        // For a comment, `raw` is the comment and `target` the article. Other pin tables swap the two
        // columns.
        const comment = row.channel === 'news:comment'
        if (!isKnown(row.state)) batch.mend(row, PENDING, { column: 'state', new: 'pending' })
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
  into: [
    {
      table: 'pins',
      through: 'group_pinneds',
      columns: {
        id: null,
        channel: null,
        raw: null,
        target: null,
        target_user: null,
        status: null,
        expires_at: null,
      },
    },
  ],
  key: ['id'],
  gone: all(
    released('pins', 'group_pinneds'),
    replaced({ table: 'pins', through: 'group_pinneds' }),
    forgotten('group_pinneds'),
  ),
  reread: 'always',
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
    const groups = await batch.find(
      'groups-of-posts',
      rows.flatMap((row) => (row.channel === 'comment' ? [] : [row.target])),
    )
    await writePins(
      tx,
      'group_pinneds',
      rows.map((row) => {
        const comment = row.channel === 'comment'
        if (!isKnown(row.status)) batch.mend(row, PENDING, { column: 'status', new: 'pending' })
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

/** Removes pins that users asked for here since the last run. They would take the place of those of the source. */
export const dropOwnPins: ImportStep = {
  name: 'pins made here',
  run: ({ transaction, note }) =>
    transaction(async (tx) => {
      const made = await tx<{ id: number; user_id: number; amount: number }[]>`
        delete from pins where not id in (${targetIds(tx, 'feed_pinneds')})
          and not id in (${targetIds(tx, 'news_pinneds')}) and not id in (${targetIds(tx, 'group_pinneds')})
        returning id, user_id, amount`
      for (const { id, user_id, amount } of made)
        await note(`pin ${id} of user ${user_id}`, 'made here since the last run: removed', {
          column: 'amount',
          old: amount,
          new: null,
        })
    }),
}

export const pinTables = [feedPins, newsPins, groupPins]
