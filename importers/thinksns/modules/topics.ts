import { grams, nameKey } from '#lib/text.ts'
import { defineTable, type ImportStep } from '../database/table.ts'
import { TIME_COLUMNS, TIMES, timesOf } from '../database/times.ts'
import { all, custom, existing, freedNames, removed, withoutPictures } from '../database/vanishing.ts'
import { findHeir, uniqueNames, upsert } from '../database/write.ts'
import { applyPictures, nodePicture, wantPictures } from './files/pictures.ts'

const STATUSES = new Set(['waiting', 'passed', 'failed'])

const topics = defineTable({
  table: 'feed_topics',
  by: 'id',
  into: [{ table: 'feed_topics', columns: { logo: null } }],
  key: ['id'],
  gone: all(freedNames('feed_topics'), removed('feed_topics'), withoutPictures('feed_topics.logo')),
  reread: 'always',
  states: existing('feed-topics', 'feed_topics', (sql) => sql`creator_user_id`),
  columns: {
    id: 'int',
    name: 'text',
    logo: 'text',
    desc: 'text',
    creator_user_id: 'int',
    hot_at: 'time',
    status: 'text',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'creator_user_id')
    const heir = await findHeir(tx)
    const names = await uniqueNames(tx, 'feed_topics', rows, 'topic', batch)
    const given = rows.map((row) => {
      const known = people.has(row.creator_user_id ?? 0)
      if (!known)
        batch.mend(
          row,
          'its creator no longer exists: assigned to the first administrator',
          'creator_user_id',
        )
      const name = names.get(row) ?? ''
      return {
        id: row.id,
        name,
        name_key: nameKey(name),
        name_grams: grams(name),
        desc: row.desc ?? '',
        creator_user_id: known ? row.creator_user_id : heir,
        hot_at: row.hot_at,
        status: STATUSES.has(row.status ?? '') ? row.status : 'waiting',
        ...timesOf(row),
      }
    })
    const columns = {
      id: 'bigint',
      name: 'text',
      name_key: 'text',
      name_grams: 'text[]',
      desc: 'text',
      creator_user_id: 'bigint',
      hot_at: 'timestamptz',
      status: 'text',
      ...TIME_COLUMNS,
    }
    await upsert(tx, 'feed_topics', columns, given)
    const ids = rows.map(({ id }) => id ?? 0)
    await tx`insert into feed_topic_counts (topic_id) select unnest(${ids}::bigint[]) on conflict do nothing`
    // Skips logos of old ThinkSNS+ versions, which stored an upload id instead of a path.
    const logos = given.flatMap(({ id, creator_user_id }, at) => {
      const logo = rows[at]?.logo ?? ''
      return logo.includes('/') ? [{ id: id ?? 0, ownerId: creator_user_id ?? 0, ...nodePicture(logo) }] : []
    })
    await wantPictures(tx, 'feed_topics.logo', ids, logos)
  },
})

const followers = defineTable({
  table: 'feed_topic_user_links',
  by: 'topic_id',
  width: 200,
  into: [
    {
      table: 'feed_topic_users',
      key: { topic_id: 'topic_id', user_id: 'user_id' },
      columns: { index: null, following_at: 'followed_at' },
    },
  ],
  key: ['index'],
  gone: custom('end', {
    before: (tx, { from, to }) => tx`
      update feed_topic_users set followed_at = null
      where topic_id >= ${from} and topic_id < ${to} and followed_at is not null`,
  }),
  reads: { users: ['user_id'], 'feed-topics': ['topic_id'] },
  columns: { index: 'int', topic_id: 'int', user_id: 'int', following_at: 'time' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await batch.findBy('feed-topics', rows, 'topic_id')
    const given = rows.flatMap((row) => {
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!found.has(row.topic_id ?? 0)) batch.leaveOut(row, 'the topic no longer exists')
      else if (row.following_at === null)
        batch.merge(row, 'not a follower: participants are derived from feeds')
      else return [{ topic_id: row.topic_id, user_id: row.user_id, followed_at: row.following_at }]
      return []
    })
    // Imports only followers, because participants are derived from feeds.
    const columns = { topic_id: 'bigint', user_id: 'bigint', followed_at: 'timestamptz' }
    await upsert(tx, 'feed_topic_users', columns, given, { key: ['topic_id', 'user_id'] })
  },
})

/** Resets participants before the recount, which keeps the time of a feed that was deleted since the last run. */
export const forgetParticipants: ImportStep = {
  name: 'participants of topics',
  run: ({ transaction }) =>
    transaction(async (tx) => {
      await tx`delete from feed_topic_users where followed_at is null`
      await tx`update feed_topic_users set feeds_count = 0, participated_at = null where feeds_count <> 0`
    }),
}

export const showLogos: ImportStep = {
  name: 'logos',
  run: ({ transaction }) => transaction((tx) => applyPictures(tx, 'feed_topics.logo', 'feed_topics', 'logo')),
}

export const topicTables = [topics, followers]
