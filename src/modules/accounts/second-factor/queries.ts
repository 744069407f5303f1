import type { Db, Row, Tx } from '#platform/database'

/** Stores an unconfirmed secret. False if a confirmed one exists. */
export async function saveSecret(sql: Db, userId: number, secret: string): Promise<boolean> {
  const rows = await sql`
    insert into second_factors as f (user_id, secret) values (${userId}, ${secret})
    on conflict (user_id) do update set secret = excluded.secret, last_step = 0 where f.confirmed_at is null
    returning 1`
  return rows.length === 1
}

export type FactorRow = Row<'second_factors', 'secret'> & { confirmed: boolean; recovery_codes: number }

/** A user's second factor, confirmed or not. */
export async function findFactor(sql: Db, userId: number): Promise<FactorRow | undefined> {
  const [row] = await sql<FactorRow[]>`
    select f.secret, f.confirmed_at is not null as confirmed,
      (select count(*)::int from (
        select from recovery_codes r where r.user_id = f.user_id limit 100) as codes) as recovery_codes
    from second_factors f where f.user_id = ${userId}`
  return row
}

/** Checks for a confirmed second factor. */
export async function hasFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`select from second_factors where user_id = ${userId} and confirmed_at is not null`
  return rows.length === 1
}

/** Counts an attempt before verification, so that racing ones count too. False above the hourly limit. */
export async function countAttemptOn(sql: Db, userId: number, max: number): Promise<boolean> {
  const rows = await sql`
    update second_factors set
      failures = case when failures_since <= now() - interval '1 hour' then 1 else failures + 1 end,
      failures_since = case when failures_since <= now() - interval '1 hour' then now() else failures_since end
    where user_id = ${userId} and (failures < ${max} or failures_since <= now() - interval '1 hour')
    returning 1`
  return rows.length === 1
}

/** Consumes the code of a time step once and resets failed attempts. False if it or a later one was used. */
export async function takeStep(sql: Db, userId: number, step: number): Promise<boolean> {
  const rows = await sql`
    update second_factors set last_step = ${step}, failures = 0
    where user_id = ${userId} and last_step < ${step} returning 1`
  return rows.length === 1
}

/** Consumes a recovery code once and resets failed attempts. */
export async function takeRecoveryCode(sql: Db, userId: number, hash: string): Promise<boolean> {
  const rows = await sql`
    with gone as (delete from recovery_codes where user_id = ${userId} and hash = ${hash} returning user_id)
    update second_factors set failures = 0 where user_id in (select user_id from gone) returning 1`
  return rows.length === 1
}

/** Confirms the second factor. False without a change. */
export async function confirmFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`
    update second_factors set confirmed_at = now() where user_id = ${userId} and confirmed_at is null returning 1`
  return rows.length === 1
}

export async function saveRecoveryCodes(tx: Tx, userId: number, hashes: string[]): Promise<void> {
  await tx`delete from recovery_codes where user_id = ${userId}`
  await tx`insert into recovery_codes (user_id, hash) select ${userId}, unnest(${hashes}::text[])`
}

/** Deletes a second factor. False if there is none. */
export async function deleteFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`delete from second_factors where user_id = ${userId} returning confirmed_at`
  return rows.some(({ confirmed_at }) => confirmed_at !== null)
}

/** Label of the account in an authenticator app. */
export async function findLabel(sql: Db, userId: number): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select name from users where id = ${userId}`
  return row?.name ?? ''
}
