import type { Db } from '#platform/database.ts'
import type { Account, Purpose } from './schema.ts'

type StoredCode = { account: string; purpose: Purpose; hash: string }

/** Codes sent to one account for one purpose in an hour; each brings five attempts. */
const HOURLY_MAX = 10

/** Writes a code in place of the last one; false when that is younger than a minute, or when there were too many. */
export async function saveCode(sql: Db, code: StoredCode): Promise<boolean> {
  const rows = await sql`
    insert into verification_codes as c (account, purpose, code_hash, expires_at)
    values (${code.account}, ${code.purpose}, ${code.hash}, now() + interval '10 minutes')
    on conflict (account, purpose) do update set
      code_hash = excluded.code_hash, attempts = 0, created_at = excluded.created_at, expires_at = excluded.expires_at,
      sent = case when excluded.created_at - c.sent_since >= interval '1 hour' then 1 else c.sent + 1 end,
      sent_since = case when excluded.created_at - c.sent_since >= interval '1 hour' then excluded.created_at else c.sent_since end
    where excluded.created_at - c.created_at >= interval '60 seconds'
      and (c.sent < ${HOURLY_MAX} or excluded.created_at - c.sent_since >= interval '1 hour')
    returning 1`
  return rows.length === 1
}

/** Whether a code is the active one; a wrong one uses up one of five attempts. */
export async function tryCode(sql: Db, code: StoredCode): Promise<boolean> {
  const [row] = await sql<{ correct: boolean }[]>`
    update verification_codes set attempts = attempts + (code_hash <> ${code.hash})::int
    where account = ${code.account} and purpose = ${code.purpose} and expires_at > now() and attempts < 5
    returning code_hash = ${code.hash} as correct`
  return row?.correct ?? false
}

/** Uses a code up; false when another request was first. */
export async function takeCode(sql: Db, code: StoredCode): Promise<boolean> {
  const rows = await sql`
    delete from verification_codes
    where account = ${code.account} and purpose = ${code.purpose} and code_hash = ${code.hash}
      and expires_at > now() and attempts < 5
    returning 1`
  return rows.length === 1
}

/** Deletes codes that can no longer be used nor count against the hourly limit. */
export async function removeOldCodes(sql: Db): Promise<void> {
  await sql`
    delete from verification_codes
    where expires_at < now() - interval '1 hour' and sent_since < now() - interval '1 hour'`
}

/** Whether somebody has this account, disabled people included. */
export async function isAccountUsed(sql: Db, { field, key }: Account): Promise<boolean> {
  const [row] = await sql<[{ used: boolean }]>`
    select exists (
      select from users where ${field === 'email' ? sql`email_key` : sql`phone`} = ${key}
    ) as used`
  return row.used
}
