import { escapeLike } from '#lib/text.ts'
import { type Db, type Fragment, ifGiven, listingClause, type Row, type Tables } from '#platform/database'
import {
  Flag,
  Id,
  Int,
  listingQuery,
  Nullable,
  pageOf,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'

export const AddressBlock = Shared('AddressBlock', {
  id: Type.Integer(),
  network: Type.String(),
  reason: Type.String(),
  in_force: Type.Boolean(),
  ends_at: Nullable(Time),
  created_by: Type.Integer(),
  created_at: Time,
})
export type AddressBlock = Static<typeof AddressBlock>

export const AddressBlockInput = Shared('NewAddressBlock', {
  network: Text(60, { minLength: 1, description: 'An IP address, or a network such as 192.0.2.0/24' }),
  reason: Text(500, { minLength: 1, description: 'Visible to administrators only' }),
  hours: Type.Optional(Int(1, 87_600)),
  own_address: Type.Optional(Flag()),
})
export type AddressBlockInput = Static<typeof AddressBlockInput>

export const AddressBlockQuery = Type.Object({
  ...listingQuery(['id']),
  in_force: Type.Optional(Flag()),
})
export type AddressBlockQuery = Static<typeof AddressBlockQuery>

export const AddressBlockParams = Type.Object({ block: Id })

const inForce = (sql: Db): Fragment => sql`(ends_at is null or ends_at > now())`

type BlockRow = Row<'address_blocks', 'id' | 'network' | 'ends_at'> & { left_ms: number | null }

export const listBlocks = (sql: Db) => sql<BlockRow[]>`
  select id, network, ends_at, (extract(epoch from ends_at - now()) * 1000)::bigint as left_ms
  from address_blocks where ${inForce(sql)}`

export const countBlocks = async (sql: Db): Promise<number> => {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from address_blocks where ${inForce(sql)}`
  return row.n
}

export async function insertBlock(
  sql: Db,
  block: { network: string; reason: string; hours: number | null; by: number },
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    insert into address_blocks as b (network, reason, ends_at, created_by)
    values (${block.network}, ${block.reason}, now() + make_interval(hours => ${block.hours}::int), ${block.by})
    on conflict (network) do update
      set reason = excluded.reason, ends_at = excluded.ends_at, created_by = excluded.created_by,
        created_at = excluded.created_at
      where b.ends_at <= excluded.created_at
    returning id`
  return row?.id
}

export async function deleteBlock(sql: Db, id: number): Promise<Tables['address_blocks'] | undefined> {
  const [row] = await sql<Tables['address_blocks'][]>`delete from address_blocks where id = ${id} returning *`
  return row
}

export async function deleteOldBlocks(sql: Db, limit: number): Promise<number> {
  const deleted = await sql`
    delete from address_blocks where id in (
      select id from address_blocks where ends_at < now() - interval '30 days' limit ${limit})`
  return deleted.count
}

type AddressBlockRow = Tables['address_blocks'] & { in_force: boolean }

export function listAddressBlocks(sql: Db, query: AddressBlockQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.in_force, (value) => (value ? sql`and ${inForce(sql)}` : sql`and not ${inForce(sql)}`))}
      ${ifGiven(sql, query.q, (part) => {
        const like = `%${escapeLike(part)}%`
        return sql`and (network like ${like} or reason ilike ${like})`
      })}`
  return pageOf<AddressBlockRow>(
    sql,
    sql`select *, ${inForce(sql)} as in_force from address_blocks ${where}
      ${listingClause(sql, query, { id: sql`id` })}`,
    sql`select count(*)::int as total from address_blocks ${where}`,
  )
}
