import { type Db, type Fragment, type Row, when } from '#platform/database'
import type { Device } from '#platform/http'

export type TokenRow = Row<'tokens', 'user_id' | 'family'> & {
  expires_in_ms: number
  expired: boolean
  revoked: boolean
  exchanged: boolean
}

export async function findToken(sql: Db, hash: Buffer): Promise<TokenRow | undefined> {
  const [row] = await sql<TokenRow[]>`
    select t.user_id, t.family, t.expires_at <= now() as expired,
      (extract(epoch from t.expires_at - now()) * 1000)::bigint as expires_in_ms,
      f.revoked_at is not null as revoked, t.exchanged_at is not null as exchanged
    from tokens t join token_families f on f.user_id = t.user_id and f.id = t.family
    where t.hash = ${hash}`
  return row
}

export async function insertToken(
  sql: Db,
  token: {
    hash: Buffer
    userId: number
    family: string
    device: Device | null
    minutes: number
    refreshMinutes: number
  },
): Promise<void> {
  await sql`
    with family as (
      insert into token_families as f (user_id, id, user_agent, network)
      values (${token.userId}, ${token.family}, ${token.device?.userAgent ?? null}, ${token.device?.network ?? null})
      on conflict (user_id, id) do update set used_at = excluded.used_at,
        user_agent = coalesce(excluded.user_agent, f.user_agent), network = coalesce(excluded.network, f.network)
    )
    insert into tokens (hash, user_id, family, expires_at, refresh_until)
    values (${token.hash}, ${token.userId}, ${token.family},
      now() + make_interval(mins => ${token.minutes}), now() + make_interval(mins => ${token.refreshMinutes}))`
}

/** Maximum age of a session, regardless of token exchanges (sign-in-5). */
const SIGN_IN_DAYS = 180

export type Exchange = Row<'tokens', 'user_id' | 'family'> & {
  outcome: 'exchanged' | 'repeated' | 'reused' | 'over'
}

/**
 * Locks the session, so that no concurrent revocation misses the next token. `repeated` means another exchange
 * within 30 seconds after the first exchange of the token, and `reused` means another exchange later.
 */
export async function exchangeToken(sql: Db, hash: Buffer): Promise<Exchange | undefined> {
  const [row] = await sql<Exchange[]>`
    with held as (
      select t.user_id, t.family, t.exchanged_at, f.revoked_at, 
        t.refresh_until <= now() or f.created_at <= now() - make_interval(days => ${SIGN_IN_DAYS}) as late
      from tokens t join token_families f on f.user_id = t.user_id and f.id = t.family
      where t.hash = ${hash} for no key update of t, f
    ),
    marked as (
      update tokens set exchanged_at = now() where hash = ${hash} and exchanged_at is null
        and exists (select from held where revoked_at is null and not late)
    )
    select user_id, family, case
      when revoked_at is not null then 'over'
      when exchanged_at <= now() - interval '30 seconds' then 'reused'
      when late then 'over'
      when exchanged_at is null then 'exchanged'
      else 'repeated' end as outcome
    from held`
  return row
}

export async function revokeFamilies(
  sql: Db,
  userIds: readonly number[],
  family: string | null = null,
  except: string | null = null,
): Promise<Buffer[]> {
  const rows = await sql<{ hash: Buffer }[]>`
    with revoked as (
      update token_families set revoked_at = now()
      where user_id = any(${userIds}) and revoked_at is null
        ${when(sql, family !== null, () => sql`and id = ${family}`)} ${when(sql, except !== null, () => sql`and id <> ${except}`)}
      returning user_id, id
    )
    select t.hash from revoked r join tokens t on t.user_id = r.user_id and t.family = r.id
    where t.expires_at > now() and t.exchanged_at is null`
  return rows.map((row) => row.hash)
}

export type SignInRow = Row<'token_families', 'id' | 'user_agent' | 'network' | 'created_at' | 'used_at'>

export const listSignIns = (sql: Db, userId: number) => sql<SignInRow[]>`
  select f.id, f.user_agent, f.network, f.created_at, f.used_at from token_families f
  where f.user_id = ${userId} and f.revoked_at is null
    and f.created_at > now() - make_interval(days => ${SIGN_IN_DAYS})
    and exists (
      select from tokens t where t.user_id = f.user_id and t.family = f.id and t.refresh_until > now()
    )
  order by f.used_at desc, f.id limit 100`

const isNetwork = (sql: Db): Fragment => sql`f.network ~ '^[0-9a-fA-F:.]+/[0-9]{1,3}$'`

/**
 * Selects `user_id` of sessions, ended ones included, whose stored network overlaps with `network`. Sessions keep only a
 * /24 or /48, so a narrower network finds all of it.
 */
export const selectSignedInFrom = (sql: Db, network: string): Fragment => sql`
  select f.user_id from token_families f
  where case when ${isNetwork(sql)} then f.network::inet && ${network}::inet else false end`

export const listNetworks = (sql: Db, userIds: readonly number[]) => sql<
  { user_id: number; networks: string[] }[]
>`
  select f.user_id, array_agg(distinct f.network order by f.network) as networks from token_families f
  where f.user_id = any(${userIds}) and ${isNetwork(sql)} group by f.user_id`

/**
 * Whether no older session used the device. False for the first session, and while an older session has no
 * recorded device.
 */
export async function isNewDevice(sql: Db, userId: number, { userAgent, network }: Device): Promise<boolean> {
  const [row] = await sql<[{ unseen: boolean }]>`
    select coalesce(bool_and(user_agent is not null and (user_agent, network) <> (${userAgent}, ${network})), false)
      as unseen
    from token_families where user_id = ${userId}`
  return row.unseen
}

/**
 * Maximum age of a session that proves the identity of a user without password, phone number and email
 * address.
 */
const FRESH_MINUTES = 15

/** A token exchange does not reset the age of a session. */
export async function isFreshSignIn(
  sql: Db,
  { id, family }: { id: number; family: string },
): Promise<boolean> {
  const [row] = await sql`
    select from token_families
    where user_id = ${id} and id = ${family} and created_at > now() - make_interval(mins => ${FRESH_MINUTES})`
  return row !== undefined
}

export async function findRevokedFamilies(
  sql: Db,
  signIns: { id: number; family: string }[],
): Promise<Set<string>> {
  const rows = await sql<{ family: string }[]>`
    select asked.family
    from unnest(${signIns.map(({ id }) => id)}::bigint[], ${signIns.map(({ family }) => family)}::uuid[])
      as asked (user_id, family)
    left join token_families f on f.user_id = asked.user_id and f.id = asked.family
    where f.id is null or f.revoked_at is not null`
  return new Set(rows.map((row) => row.family))
}

export async function findEndedFamilies(
  sql: Db,
  signIns: { id: number; family: string }[],
): Promise<Set<string>> {
  const rows = await sql<{ family: string }[]>`
    select asked.family
    from unnest(${signIns.map(({ id }) => id)}::bigint[], ${signIns.map(({ family }) => family)}::uuid[])
      as asked (user_id, family)
    left join token_families f on f.user_id = asked.user_id and f.id = asked.family
    where f.revoked_at is not null or not exists (
      select from tokens t
      where t.user_id = f.user_id and t.family = f.id and greatest(t.expires_at, t.refresh_until) > now()
    )`
  return new Set(rows.map((row) => row.family))
}

export async function removeOldTokens(sql: Db): Promise<number> {
  const rows = await sql`
    with old as (
      delete from tokens where hash in (select hash from tokens where refresh_until < now() - interval '1 day' limit 5000)
      returning user_id, family
    ),
    gone as (
      delete from token_families f using old
      where f.user_id = old.user_id and f.id = old.family and not exists (
        select from tokens t where t.user_id = f.user_id and t.family = f.id and t.refresh_until >= now() - interval '1 day'
      )
    )
    select 1 from old`
  return rows.length
}

export const deleteSignIns = (sql: Db, userId: number) => sql`
  with gone as (delete from tokens where user_id = ${userId})
  delete from token_families where user_id = ${userId}`
