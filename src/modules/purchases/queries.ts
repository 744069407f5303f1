import type { CounterCheck, Drift } from '#contracts/counters.ts'
import { type Currency, movementsClause, PLATFORM_ACCOUNTS, unrepairable } from '#modules/ledger/index.ts'
import type { Db, Fragment, Row } from '#platform/database'

export type NodeRow = Row<
  'paid_nodes',
  'id' | 'channel' | 'raw' | 'subject' | 'body' | 'amount' | 'user_id' | 'extra' | 'created_at' | 'updated_at'
> & {
  paid: boolean
}

/** Kinds of content by channel. Nodes of other channels belong to files. */
export const RESOURCES: Record<string, string> = {
  feed: 'feeds',
  'feed:comment': 'feeds',
  music: 'music_specials',
}

export const selectNodeContents = (sql: Db): Fragment =>
  Object.entries(RESOURCES)
    .map(
      ([channel, type]) => sql`
        select id, ${type} as content_type, raw as content_id from paid_nodes where channel = ${channel}`,
    )
    .reduce((all, part) => sql`${all} union all ${part}`)

const columns = (sql: Db, viewerId: number) => sql`
  n.id, n.channel, n.raw, n.subject, n.body, n.amount, n.user_id, n.extra, n.created_at, n.updated_at,
  ${
    viewerId === 0
      ? sql`false`
      : sql`n.user_id = ${viewerId} or
          coalesce((select true from purchases b where b.user_id = ${viewerId} and b.node_id = n.id), false)`
  } as paid`

export async function findNode(sql: Db, id: number, viewerId: number): Promise<NodeRow | undefined> {
  const [row] = await sql<NodeRow[]>`
    select ${columns(sql, viewerId)} from paid_nodes n where n.id = ${id} and n.closed_at is null and not n.free`
  return row
}

/** Reads prices of content and whether the viewer paid. Free content is absent. */
export async function findPrices(
  sql: Db,
  channel: string,
  raws: number[],
  viewerId: number,
): Promise<Map<number, NodeRow>> {
  if (raws.length === 0) return new Map()
  const rows = await sql<NodeRow[]>`
    select ${columns(sql, viewerId)} from paid_nodes n where n.channel = ${channel} and n.raw = any(${raws}) and not n.free`
  return new Map(rows.map((row) => [row.raw, row]))
}

/** Selects ids of content that the user bought, except content that became free. */
export const purchasesOf = (sql: Db, userId: number, channel: string): Fragment => sql`
  select n.raw from purchases b join paid_nodes n on n.id = b.node_id and n.channel = ${channel} and not n.free
  where b.user_id = ${userId}`

/** Selects the price (`amount`) of content, or the access that requires payment (`extra`). Null if free. */
export const priceOf = (
  sql: Db,
  channel: string,
  raw: Fragment,
  column: 'amount' | 'extra',
): Fragment => sql`(
  select n.${sql(column)} from paid_nodes n where n.channel = ${channel} and n.raw = ${raw} and not n.free
)`

export type Price = {
  channel: string
  raw: number
  amount: number
  userId: number
  subject?: string | null
  body?: string | null
  extra?: string | null
}

/** Sets or changes prices and returns the ids of their nodes. Earlier buyers keep access. */
export async function setPrices(sql: Db, prices: Price[]): Promise<Map<number, number>> {
  const list = prices.map(({ channel, raw, amount, userId, subject = null, body = null, extra = null }) => ({
    channel,
    raw,
    amount,
    user_id: userId,
    subject,
    body,
    extra,
  }))
  const rows = await sql<{ id: number; raw: number }[]>`
    insert into paid_nodes (channel, raw, amount, user_id, subject, body, extra)
    select channel, raw, amount, user_id, subject, body, extra from jsonb_to_recordset(${sql.json(list)})
      as p (channel text, raw bigint, amount bigint, user_id bigint, subject text, body text, extra text)
    order by channel, raw
    on conflict (channel, raw) do update set amount = excluded.amount, subject = excluded.subject,
      body = excluded.body, extra = excluded.extra, closed_at = null, free = false, updated_at = excluded.updated_at
    returning id, raw`
  return new Map(rows.map(({ id, raw }) => [raw, id]))
}

/** Sets the first price of content. Returns undefined when the content has a price or once had a price. */
export async function addPrice(
  sql: Db,
  { channel, raw, amount, userId }: Pick<Price, 'channel' | 'raw' | 'amount' | 'userId'>,
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into paid_nodes (channel, raw, amount, user_id) values (${channel}, ${raw}, ${amount}, ${userId})
    on conflict (channel, raw) do nothing returning id`
  return row?.id
}

export async function removePrices(sql: Db, channel: string, raws: number[]): Promise<void> {
  await sql`
    update paid_nodes set free = true, updated_at = now()
    where channel = ${channel} and raw = any(${raws}) and not free`
}

export const movePrice = (sql: Db, channel: string, from: number, to: number) => sql`
  update paid_nodes set raw = ${to}, updated_at = now() where channel = ${channel} and raw = ${from}`

export async function closeSales(sql: Db, channel: string, raws: number[], closed: boolean): Promise<void> {
  if (raws.length === 0) return
  await sql`
    update paid_nodes set closed_at = ${closed ? sql`now()` : sql`null`}
    where channel = ${channel} and raw = any(${raws})`
}

/**
 * Inserts a purchase and pays the seller, or the site if the seller's account is deleted. Returns false when
 * the user already bought the node or cannot buy it.
 */
export async function insertPurchase(
  sql: Db,
  { nodeId, userId, currency }: { nodeId: number; userId: number; currency: Currency },
): Promise<boolean> {
  const [row] = await sql<[{ bought: boolean }]>`
    with node as materialized (
      select n.id, n.amount, n.subject, n.body, coalesce(
        (select u.id from users u where u.id = n.user_id and u.deleted_at is null), ${PLATFORM_ACCOUNTS.income}
      ) as seller
      from paid_nodes n where n.id = ${nodeId} and n.closed_at is null and not n.free and n.user_id <> ${userId}
    ),
    bought as (
      insert into purchases (user_id, node_id, currency, amount)
      select ${userId}::bigint, id, ${currency}, amount from node
      on conflict (user_id, node_id) do nothing
      returning node_id
    ),
    moves as materialized (
      select 0 as n, ${currency}::text as currency, ${userId}::bigint as from_id, n.seller as to_id, n.amount,
        'purchase' as kind, 'paid_nodes' as subject_type, n.id as subject_id, n.subject as title, n.body
      from bought b join node n on n.id = b.node_id
    ),
    ${movementsClause(sql)}
    select exists (select from bought) as bought`
  return row.bought
}

/** Payments of buyers, and their returns by the site, but not the income of sellers and the returns of it. */
const isOfBuyer = (sql: Db) => sql`
  (amount < 0 and counterpart <> ${PLATFORM_ACCOUNTS.issuance} or amount > 0 and counterpart < 0)`

const findPurchaseDrift = (sql: Db) => sql<Drift[]>`
  select b.user_id || ' ' || b.node_id || ' ' || b.currency as key, b.amount as kept,
    coalesce(-p.total, 0)::bigint as counted
  from purchases b left join (
    select owner_id, subject_id, currency, sum(amount) as total from ledger_postings
    where owner_id > 0 and subject_type = 'paid_nodes' and ${isOfBuyer(sql)} group by owner_id, subject_id, currency
  ) p on p.owner_id = b.user_id and p.subject_id = b.node_id and p.currency = b.currency
  where b.amount <> coalesce(-p.total, 0) and not b.settled_before order by b.user_id, b.node_id limit 100`

const findLostPayments = (sql: Db) => sql<Drift[]>`
  select p.owner_id || ' ' || p.subject_id || ' ' || p.currency as key, 0 as kept, -sum(p.amount)::bigint as counted
  from ledger_postings p
  where p.owner_id > 0 and p.subject_type = 'paid_nodes' and ${isOfBuyer(sql)} and not exists (
    select from purchases b
    where b.user_id = p.owner_id and b.node_id = p.subject_id and b.currency = p.currency
  )
  group by p.owner_id, p.subject_id, p.currency having sum(p.amount) < 0
  order by p.owner_id, p.subject_id limit 100`

export const purchaseChecks: CounterCheck[] = [
  unrepairable('purchases.paid', findPurchaseDrift),
  unrepairable('purchases.lost', findLostPayments),
]
