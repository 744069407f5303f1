import type { Db } from '#platform/database.ts'
import type { Language } from '#platform/errors.ts'

export type Device = {
  user_id: number
  token: string
  platform: 'ios' | 'android' | 'web'
  language: Language
  family: string
}

/** Remembers a device of a person, of at most `limit`; a device has one person, the last to sign in on it. */
export async function saveDevice(sql: Db, device: Device, limit: number): Promise<void> {
  const { user_id, token, platform, language, family } = device
  await sql`
    with others as (delete from push_devices where token = ${token} and user_id <> ${user_id}),
    old as (
      delete from push_devices where (user_id, token) in (
        select user_id, token from push_devices where user_id = ${user_id} and token <> ${token}
        order by updated_at desc offset ${limit - 1}
      )
    )
    insert into push_devices (user_id, token, platform, language, family)
    values (${user_id}, ${token}, ${platform}, ${language}, ${family})
    on conflict (user_id, token) do update set platform = excluded.platform, language = excluded.language,
      family = excluded.family, updated_at = excluded.updated_at`
}

export async function deleteDevice(sql: Db, userId: number, token: string): Promise<void> {
  await sql`delete from push_devices where user_id = ${userId} and token = ${token}`
}

export const findDevices = (sql: Db, users: number[]) => sql<(Device & { updated_at: string })[]>`
  select user_id, token, platform, language, family, updated_at from push_devices
  where user_id = any(${users}) order by user_id, updated_at desc`

export async function deleteTokens(sql: Db, tokens: string[]): Promise<void> {
  if (tokens.length > 0) await sql`delete from push_devices where token = any(${tokens})`
}
