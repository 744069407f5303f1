import { nameKey } from '#lib/text.ts'
import type { Db } from '#platform/database'
import { defineTable } from '../../database/table.ts'
import { EPOCH, TIMES } from '../../database/times.ts'
import {
  all,
  detached,
  emptied,
  forgotten,
  freedNames,
  replaced,
  targeted,
} from '../../database/vanishing.ts'
import { findTargets, relation, saveTargets, upsert } from '../../database/write.ts'
import { news, otherCategory } from './articles.ts'

const categories = defineTable({
  table: 'news_cates',
  by: null,
  batch: 100_000,
  into: [{ table: 'news_categories' }],
  key: ['id'],
  gone: all(
    freedNames('news_categories'),
    detached('news_categories', async (tx, ids) => {
      const other = await otherCategory(tx)
      await tx`update news set category_id = ${other} where category_id = any(${ids})`
    }),
    forgotten('news_cates'),
  ),
  reread: 'always',
  states: targeted('news_cates'),
  columns: { id: 'int', name: 'text', rank: 'int' },
  async write(tx, rows, batch) {
    const first = new Map<string, number>()
    const targets = new Map<number, number>()
    const given = rows.flatMap((row) => {
      const name = row.name?.trim() || `category ${row.id}`
      const other = first.get(nameKey(name))
      targets.set(row.id ?? 0, other ?? row.id ?? 0)
      if (other !== undefined) {
        batch.merge(row, 'another category has this name')
        return []
      }
      first.set(nameKey(name), row.id ?? 0)
      return [{ id: row.id, name, name_key: nameKey(name), rank: row.rank ?? 0 }]
    })
    const columns = { id: 'bigint', name: 'text', name_key: 'text', rank: 'int' }
    await upsert(tx, 'news_categories', columns, given)
    await saveTargets(tx, 'news_cates', targets)
  },
})

const subscriptions = defineTable({
  table: 'news_cates_follow',
  by: 'user_id',
  width: 2000,
  into: null,
  key: ['id'],
  gone: emptied('news_subscriptions'),
  reread: 'always',
  columns: { id: 'int', user_id: 'int', follows: 'text' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const last = new Map<number, (typeof rows)[number]>()
    for (const row of rows) {
      const other = last.get(row.user_id ?? 0)
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else {
        if (other) batch.merge(other, 'superseded by a later row of the same user')
        last.set(row.user_id ?? 0, row)
      }
    }
    const wanted = [...last].map(([userId, { follows }]) => ({
      userId,
      ids: (follows ?? '')
        .split(',')
        .map(Number)
        .filter((id) => Number.isSafeInteger(id) && id > 0),
    }))
    const targets = await findTargets(
      tx,
      'news_cates',
      wanted.flatMap(({ ids }) => ids),
    )
    const given = wanted.flatMap(({ userId, ids }) =>
      ids.flatMap((id) => {
        const category = targets.get(id)
        return category === undefined ? [] : [{ user_id: userId, category_id: Number(category) }]
      }),
    )
    for (const [userId, row] of last) {
      const kept = given.filter((each) => each.user_id === userId).map((each) => each.category_id)
      const named = (row.follows ?? '').split(',').filter((id) => id !== '')
      if (named.join() !== kept.join())
        batch.mend(row, 'missing, merged or duplicate categories removed', {
          column: 'follows',
          new: [...new Set(kept)].join(),
        })
    }
    await tx`delete from news_subscriptions where user_id = any(${[...last.keys()]})`
    await tx`
      insert into news_subscriptions (user_id, category_id)
      select distinct user_id, category_id from ${relation(tx, { user_id: 'bigint', category_id: 'bigint' }, given)}`
  },
})

const STATES = ['pending', 'accepted', 'rejected']

const deletions = defineTable({
  table: 'news_apply_logs',
  by: 'id',
  into: [
    {
      table: 'news_deletions',
      columns: { status: { column: 'state', as: (status) => STATES[Number(status)] }, updated_at: null },
    },
  ],
  key: ['id'],
  gone: replaced('news_deletions'),
  reread: 'always',
  columns: {
    id: 'int',
    news_id: 'int',
    user_id: 'int',
    status: 'int',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const found = await tx<{ id: number; title: string }[]>`
      select id, title from news where id = any(${rows.map(({ news_id }) => news_id ?? 0)})`
    const titles = new Map(found.map(({ id, title }) => [id, title]))
    const open = new Set<number>()
    const given = rows.flatMap((row) => {
      const waits = row.status !== 1 && row.status !== 2
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (waits && !titles.has(row.news_id ?? 0)) batch.leaveOut(row, 'the article no longer exists')
      else if (waits && open.has(row.news_id ?? 0)) batch.merge(row, 'duplicate request')
      else {
        if (waits) open.add(row.news_id ?? 0)
        return [
          {
            id: row.id,
            news_id: row.news_id,
            user_id: row.user_id,
            title: titles.get(row.news_id ?? 0) ?? '',
            state: waits ? 'pending' : row.status === 1 ? 'accepted' : 'rejected',
            decided_at: waits ? null : (row.updated_at ?? EPOCH),
            created_at: row.created_at ?? EPOCH,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      news_id: 'bigint',
      user_id: 'bigint',
      title: 'text',
      state: 'text',
      decided_at: 'timestamptz',
      created_at: 'timestamptz',
    }
    await upsert(tx, 'news_deletions', columns, given)
  },
})

export const tagNews = (sql: Db, links: { id: number; tag: number }[]) => sql`
  insert into news_tags (news_id, tag_id) select id, tag from ${relation(sql, { id: 'bigint', tag: 'bigint' }, links)}
  on conflict do nothing`

export const newsTables = [categories, news, subscriptions, deletions]
