import type { Secrets } from '#platform/crypto.ts'
import { type Sql, transaction } from '#platform/database.ts'
import type { TokenStore } from './easemob-client.ts'

/** A token is replaced this long before it ends. */
const MARGIN_SECONDS = 300

/** Keeps the access token of an application sealed in the database; one node at a time fetches a new one. */
export function createTokenStore(sql: Sql, secrets: Secrets, app: string): TokenStore {
  let held: { token: string; until: number } | undefined
  return {
    async read() {
      if (held && held.until > Date.now()) return held.token
      const [row] = await sql<{ token: string; left: number }[]>`
        select token, extract(epoch from expires_at - now())::float8 as left from im_tokens
        where app = ${app} and expires_at > now()`
      held = row && { token: secrets.open(row.token), until: Date.now() + row.left * 1000 }
      return held?.token
    },
    async renew(stale, fetch) {
      const renewed = await transaction(sql, async (tx) => {
        await tx`
          insert into im_tokens (app, token, expires_at) values (${app}, '', '-infinity') on conflict do nothing`
        const [row] = await tx<[{ token: string; left: number | null }]>`
          select token, case when expires_at > now() then extract(epoch from expires_at - now())::float8 end as left
          from im_tokens where app = ${app} for update`
        if (row.left !== null) {
          const token = secrets.open(row.token)
          if (token !== stale) return { token, seconds: row.left }
        }
        const { token, seconds } = await fetch()
        const good = Math.max(seconds - MARGIN_SECONDS, seconds / 2)
        await tx`
          update im_tokens set token = ${secrets.seal(token)}, expires_at = now() + make_interval(secs => ${good})
          where app = ${app}`
        return { token, seconds: good }
      })
      held = { token: renewed.token, until: Date.now() + renewed.seconds * 1000 }
      return held.token
    },
  }
}
