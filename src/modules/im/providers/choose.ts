import { type Context, defineState } from '#platform/context.ts'
import type { Secrets } from '#platform/crypto.ts'
import { type Sql, transaction } from '#platform/database'
import { sendAnnouncement } from '../chats/messages/service.ts'
import { createEasemob } from './easemob.ts'
import type { TokenStore } from './easemob-client.ts'
import { createEjabberd } from './ejabberd.ts'
import { createEmbedded } from './embedded.ts'
import { ImError, type ImProvider } from './provider.ts'

const FAILURES = 3
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/**
 * Wraps the provider in a circuit breaker, so that requests fail fast during an outage. After each pause, one
 * call tests the provider.
 */
function withBreaker(provider: ImProvider, now = () => performance.now()): ImProvider {
  let failures = 0
  let openUntil = 0
  let pause = FIRST_PAUSE_MS
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (failures >= FAILURES) {
        const left = openUntil - now()
        if (left > 0)
          throw new ImError('unavailable', `${provider.name} does not answer`, {
            retryAfterSeconds: left / 1000,
          })
        // Starts a new pause, so that only this call tests the provider and concurrent calls still fail fast.
        openUntil = now() + pause
      }
      try {
        const result = await call(...args)
        failures = 0
        pause = FIRST_PAUSE_MS
        return result
      } catch (error) {
        if (error instanceof ImError && error.fault === 'unavailable') {
          failures += 1
          if (failures > FAILURES) pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
          if (failures >= FAILURES) openUntil = now() + pause
        } else failures = 0
        throw error
      }
    }
  return {
    name: provider.name,
    capabilities: provider.capabilities,
    settingsHeld: provider.settingsHeld,
    ensureUsers: guard(provider.ensureUsers),
    setPassword: guard(provider.setPassword),
    lock: guard(provider.lock),
    unlock: guard(provider.unlock),
    createGroup: guard(provider.createGroup),
    findGroup: guard(provider.findGroup),
    updateGroup: guard(provider.updateGroup),
    transferOwner: guard(provider.transferOwner),
    addMembers: guard(provider.addMembers),
    removeMembers: guard(provider.removeMembers),
    getGroups: guard(provider.getGroups),
    listMembers: guard(provider.listMembers),
    deleteGroup: guard(provider.deleteGroup),
    sendSystem: guard(provider.sendSystem),
    // Health checks bypass the circuit breaker, because operators want the provider's current state.
    health: provider.health,
  }
}

const MARGIN_SECONDS = 300

/**
 * Stores the access token encrypted in the database. One server node at a time renews the token for all
 * nodes.
 */
export function createTokenStore(sql: Sql, secrets: Secrets, app: string): TokenStore {
  let held: { token: string; until: number } | undefined
  return {
    async read() {
      if (held && held.until > performance.now()) return held.token
      const [row] = await sql<{ token: string; left: number }[]>`
        select token, extract(epoch from expires_at - now())::float8 as left from im_tokens
        where app = ${app} and expires_at > now()`
      held = row && { token: secrets.open(row.token), until: performance.now() + row.left * 1000 }
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
      held = { token: renewed.token, until: performance.now() + renewed.seconds * 1000 }
      return held.token
    },
  }
}

export const imProvider = defineState((ctx): ImProvider => withBreaker(createProvider(ctx)))

function createProvider(ctx: Context): ImProvider {
  const { config, sql, secrets } = ctx
  const { timeoutMs, ejabberd, easemob } = config.im
  switch (config.imProvider) {
    case 'embedded':
      return createEmbedded(sql, (groupId, announcement) => sendAnnouncement(ctx, groupId, announcement))
    case 'ejabberd':
      return createEjabberd({ ...ejabberd, timeoutMs })
    case 'easemob':
      return createEasemob({ ...easemob, timeoutMs, tokens: createTokenStore(sql, secrets, easemob.appKey) })
  }
}
