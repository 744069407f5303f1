import { isSuspended } from '#modules/sanctions/index.ts'
import type { Db, Row } from '#platform/database'
import { isUnleased } from '../sync/queries.ts'

export async function insertAccounts(
  sql: Db,
  accounts: { user_id: number; password: string }[],
): Promise<void> {
  await sql`
    insert into im_accounts (user_id, password)
    select given.user_id, given.password
    from unnest(${accounts.map(({ user_id }) => user_id)}::bigint[], ${accounts.map(({ password }) => password)}::text[])
      as given (user_id, password)
      join users u on u.id = given.user_id
    order by given.user_id
    on conflict do nothing`
}

export async function findAccounts(
  sql: Db,
  ids: number[],
  provider: string,
): Promise<Map<number, { confirmed: boolean }>> {
  const rows = await sql<{ user_id: number; confirmed: boolean }[]>`
    select user_id, synced_version >= version and provider is not distinct from ${provider} as confirmed
    from im_accounts where user_id = any(${ids})`
  return new Map(rows.map(({ user_id, confirmed }) => [user_id, { confirmed }]))
}

export async function findPassword(sql: Db, userId: number): Promise<string | undefined> {
  const [row] = await sql<{ password: string }[]>`select password from im_accounts where user_id = ${userId}`
  return row?.password
}

export async function markWaiting(sql: Db, ids: number[]): Promise<void> {
  await sql`update im_accounts set version = version + 1 where user_id = any(${ids})`
}

export async function updatePassword(sql: Db, userId: number, password: string): Promise<void> {
  await sql`
    update im_accounts set password = ${password}, version = version + 1, updated_at = now()
    where user_id = ${userId}`
}

export type LeasedAccount = Row<'im_accounts', 'user_id' | 'password' | 'version' | 'locked'> & {
  known: boolean
  disabled: boolean
}

/**
 * Skips accounts that are confirmed or already leased. `known`: the provider has confirmed an earlier version
 * of the account.
 */
export async function leaseAccounts(
  sql: Db,
  ids: number[],
  provider: string,
  seconds: number,
): Promise<LeasedAccount[]> {
  return sql<LeasedAccount[]>`
    with free as (
      select user_id, provider is not distinct from ${provider} and synced_version > 0 as known,
        (select u.deleted_at is not null or ${isSuspended(sql, sql`u.id`)} from users u where u.id = user_id) as disabled
      from im_accounts
      where user_id = any(${ids})
        and (synced_version < version or provider is distinct from ${provider})
        and ${isUnleased(sql)}
      order by user_id for update skip locked
    )
    update im_accounts a set leased_until = now() + make_interval(secs => ${seconds}),
      locked = a.locked or free.disabled
    from free where a.user_id = free.user_id
    returning a.user_id, a.password, a.version, a.locked, free.known, free.disabled`
}

export async function confirmAccounts(
  sql: Db,
  accounts: { user_id: number; version: number; disabled: boolean }[],
  provider: string,
): Promise<void> {
  const locked = accounts.filter(({ disabled }) => disabled).map(({ user_id }) => user_id)
  await sql`
    update im_accounts a set synced_version = given.version, provider = ${provider}, leased_until = null,
      attempts = 0, last_error = null, locked = a.user_id = any(${locked}::bigint[])
    from unnest(${accounts.map(({ user_id }) => user_id)}::bigint[], ${accounts.map(({ version }) => version)}::bigint[])
      as given (user_id, version)
    where a.user_id = given.user_id`
}

export async function failAccounts(sql: Db, ids: number[], error: string): Promise<number> {
  const rows = await sql<{ attempts: number }[]>`
    update im_accounts set leased_until = null, attempts = attempts + 1, last_error = ${error.slice(0, 500)}
    where user_id = any(${ids}) returning attempts`
  return Math.max(1, ...rows.map(({ attempts }) => attempts))
}

export async function listUnregistered(
  sql: Db,
  lastId: number,
  provider: string,
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select u.id from users u left join im_accounts a on a.user_id = u.id
    where u.id > ${lastId} and u.deleted_at is null
      and (a.user_id is null or a.synced_version < a.version or a.provider is distinct from ${provider})
    order by u.id limit ${limit}`
  return rows.map(({ id }) => id)
}

export async function countUnregistered(sql: Db, provider: string): Promise<number> {
  const [row] = await sql<[{ n: number }]>`
    select count(*)::int as n from users u left join im_accounts a on a.user_id = u.id
    where u.deleted_at is null
      and (a.user_id is null or a.synced_version < a.version or a.provider is distinct from ${provider})`
  return row.n
}

export async function listAccounts(
  sql: Db,
  lastId: number,
  provider: string,
  limit: number,
): Promise<{ user_id: number; password: string; locked: boolean; disabled: boolean }[]> {
  return sql<{ user_id: number; password: string; locked: boolean; disabled: boolean }[]>`
    select user_id, a.password, locked,
      u.deleted_at is not null or ${isSuspended(sql, sql`u.id`)} as disabled
    from im_accounts a join users u on u.id = a.user_id
    where user_id > ${lastId} and synced_version = version and provider = ${provider}
    order by user_id limit ${limit}`
}

export async function listWaitingAccounts(sql: Db, limit: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from im_accounts a
    where synced_version < version and ${isUnleased(sql)}
      and not exists (select from graphile_worker.jobs j where j.key = 'im_account:' || a.user_id)
    order by user_id limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}
