import type { Db } from '#platform/database'
import { orNone } from '../database/changes.ts'
import { addFacts } from '../database/state.ts'
import { defineTable } from '../database/table.ts'
import { EPOCH, TIME_COLUMNS, TIMES } from '../database/times.ts'
import { custom, emptied } from '../database/vanishing.ts'
import { dropTargets, findTargets, relation, saveTargets, upsert } from '../database/write.ts'
import { findUses } from './files/uses.ts'

const HIGHEST = 1_000_000_000_000
const OLD_FEED = 'feed'
const FEED = 'feeds'
const COMMENT = 'feed:comment'
const CHANNELS: Record<string, string | undefined> = {
  [OLD_FEED]: 'feed',
  [FEED]: 'feed',
  file: 'file',
  music: 'music',
}

export async function listPriced(sql: Db, channel: string, raws: number[]): Promise<Set<number>> {
  if (raws.length === 0) return new Set()
  const rows = await sql<{ raw: number }[]>`
    select raw from paid_nodes where channel = ${channel} and raw = any(${raws}) and not free`
  return new Set(rows.map(({ raw }) => raw))
}

const nodes = defineTable({
  table: 'paid_nodes',
  // Splits the table by content id, so that one batch contains both the old and the current price of a feed.
  by: 'raw',
  scope: 'channel',
  width: 2000,
  batch: 20_000,
  into: [
    {
      table: 'paid_nodes',
      columns: { channel: { as: (name) => CHANNELS[String(name)] }, user_id: orNone },
    },
  ],
  key: ['id'],
  gone: custom('remove', {
    // Buyers refer to prices, so they are read again with them.
    async before(tx, { from, to }) {
      const nodes = await tx<{ id: number }[]>`select id from paid_nodes where raw >= ${from} and raw < ${to}`
      const ids = nodes.map(({ id }) => id)
      await addFacts(tx, 'paid_nodes', 'sold', ids)
      await dropTargets(tx, 'paid_nodes', ids)
      await tx`delete from purchases where node_id = any(${ids})`
      await tx`delete from paid_nodes where id = any(${ids})`
    },
  }),
  reads: { uses: ['raw'] },
  states: (sql, { from, to }) => sql`
    select 'prices of ' || channel as kind, raw as id, concat_ws(' ', id, amount, free) as fact from paid_nodes
    where raw >= ${from} and raw < ${to}
    union all
    select 'sold', id, concat_ws(' ', raw, amount) from paid_nodes where raw >= ${from} and raw < ${to}
    union all
    select 'files of feed', u.raw, concat_ws(' ', n.id, n.free) from paid_nodes n join file_uses u on u.id = n.raw
    where n.channel = 'file' and u.channel = 'feed:image' and n.raw >= ${from} and n.raw < ${to}`,
  order: ['channel'],
  columns: {
    id: 'int',
    channel: 'text',
    raw: 'int',
    subject: 'text',
    body: 'text',
    amount: 'int',
    user_id: 'int',
    extra: 'text',
    ...TIMES,
  },
  async write(tx, rows, batch) {
    const files = rows.flatMap(({ channel, raw }) => (channel === 'file' ? [raw ?? 0] : []))
    const uses = new Map((await findUses(tx, files)).map((use) => [use.id, use]))
    const ruling = new Map(rows.flatMap((row) => (row.channel === FEED ? [[row.raw, row.id ?? 0]] : [])))
    const targets = new Map<number, number>()
    const given = rows.flatMap((row) => {
      const channel = CHANNELS[row.channel ?? '']
      const amount = row.amount ?? 0
      const other = row.channel === OLD_FEED ? ruling.get(row.raw) : undefined
      if (row.channel === COMMENT) batch.leaveOut(row, 'a price for comments, which was never charged')
      else if (channel === undefined) batch.leaveOut(row, 'unsupported kind of priced content')
      else if (amount < 1) batch.leaveOut(row, 'the price is zero')
      else if (channel === 'file' && !uses.has(row.raw ?? 0)) batch.leaveOut(row, 'the file no longer exists')
      else if (other !== undefined) {
        targets.set(row.id ?? 0, other)
        batch.merge(row, 'superseded by the current price of the feed')
      } else {
        const lapsed = row.channel === OLD_FEED && !batch.options.oldPrices
        if (lapsed)
          batch.mend(row, 'price of version 1.x, which 2.x ignored: made free (--old-prices keeps it)', {
            column: 'amount',
            new: 0,
          })
        const sound = uses.get(row.raw ?? 0)?.mime.startsWith('audio/')
        const created = row.created_at ?? EPOCH
        return [
          {
            id: row.id,
            channel,
            raw: row.raw,
            subject: row.subject,
            body: row.body,
            amount: Math.min(amount, HIGHEST),
            user_id: row.user_id ?? 0,
            extra: channel === 'file' && sound && row.extra === 'read' ? 'listen' : row.extra,
            free: lapsed,
            created_at: created,
            updated_at: row.updated_at ?? created,
          },
        ]
      }
      return []
    })
    const columns = {
      id: 'bigint',
      channel: 'text',
      raw: 'bigint',
      subject: 'text',
      body: 'text',
      amount: 'bigint',
      user_id: 'bigint',
      extra: 'text',
      free: 'boolean',
      ...TIME_COLUMNS,
    }
    // Avoids a unique violation when a current price has replaced an old one since the last run.
    await tx`
      update paid_nodes n set raw = -n.id from ${relation(tx, { id: 'bigint', channel: 'text', raw: 'bigint' }, given)}
      where n.channel = r.channel and n.raw = r.raw and n.id <> r.id`
    await upsert(tx, 'paid_nodes', columns, given)
    await saveTargets(tx, 'paid_nodes', targets)
  },
})

const buyers = defineTable({
  table: 'paid_node_users',
  by: 'node_id',
  width: 1000,
  into: null,
  key: ['node_id', 'user_id'],
  gone: emptied('purchases'),
  reread: 'whole',
  reads: { users: ['user_id'], sold: ['node_id'] },
  columns: { node_id: 'int', user_id: 'int' },
  async write(tx, rows, batch) {
    const people = await batch.findBy('users', rows, 'user_id')
    const ids = rows.map(({ node_id }) => node_id ?? 0)
    const targets = await findTargets(tx, 'paid_nodes', ids)
    const nodeOf = (id: number | null) => Number(targets.get(id ?? 0) ?? id)
    const found = await tx<{ id: number; amount: number; created_at: string }[]>`
      select id, amount, created_at from paid_nodes where id = any(${[...new Set(ids.map(nodeOf))]})`
    const known = new Map(found.map((row) => [row.id, row]))
    const given = rows.flatMap((row) => {
      const node = known.get(nodeOf(row.node_id))
      if (!people.has(row.user_id ?? 0)) batch.leaveOut(row, 'the user no longer exists')
      else if (!node) batch.leaveOut(row, 'the purchased content has no price')
      else {
        return [{ user_id: row.user_id, node_id: node.id, amount: node.amount, created_at: node.created_at }]
      }
      return []
    })
    const columns = { user_id: 'bigint', node_id: 'bigint', amount: 'bigint', created_at: 'timestamptz' }
    await tx`
      insert into purchases (user_id, node_id, currency, amount, created_at, settled_before)
      select user_id, node_id, 'points', amount, created_at, true from ${relation(tx, columns, given)}
      on conflict (user_id, node_id) do nothing`
  },
})

/** Runs before the import of feeds, which store whether they have a price. */
export const priceTables = [nodes]
export const purchaseTables = [buyers]
