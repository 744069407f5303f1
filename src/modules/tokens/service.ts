import { hash, randomBytes, randomUUID } from 'node:crypto'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import { actFor } from '#platform/database/callers.ts'
import { type Db, transaction } from '#platform/database.ts'
import { unauthenticated } from '#platform/errors.ts'
import type { Device } from '#platform/http/device.ts'
import type { Viewer } from '#platform/http.ts'
import { sendSignal } from '#platform/signals.ts'
import { exchangeToken, findToken, insertToken, removeOldTokens, revokeFamilies } from './queries.ts'

/** Minutes an access token is good for, and minutes in which it can be exchanged (sign-in-5). */
const TOKEN_MINUTES = 60
const REFRESH_MINUTES = 20_160

/** A sign-in as clients expect it (sign-in-4). */
export type IssuedToken = {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  refresh_ttl: number
}

type Entry = { viewer: Viewer | null }

/** The signal that somebody's sign-ins were ended. */
const REVOKED = 'sign-ins-ended'

const cacheOf = defineCache<Entry>('tokens', { max: 100_000, ttlMs: 30_000 })
const hashOf = (token: string) => hash('sha256', token, 'buffer')
/** The hash as a key of the cache, which every request needs: made at once, in half the time of the two steps. */
const keyOfToken = (token: string) => hash('sha256', token, 'base64')
const keyOf = (digest: Buffer) => digest.toString('base64')

/** Makes a token, for a new sign-in unless a family is given; `device` is from where it was asked for. */
export async function issueToken(
  sql: Db,
  userId: number,
  { family = randomUUID(), device = null }: { family?: string; device?: Device | null } = {},
): Promise<IssuedToken> {
  actFor(userId)
  const token = randomBytes(32).toString('base64url')
  await insertToken(sql, {
    hash: hashOf(token),
    userId,
    family,
    device,
    minutes: TOKEN_MINUTES,
    refreshMinutes: REFRESH_MINUTES,
  })
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: TOKEN_MINUTES,
    refresh_ttl: REFRESH_MINUTES,
  }
}

/** The person behind a token that is good now, else null. */
export function findViewer(ctx: Context, token: string): Promise<Viewer | null> | Viewer | null {
  const key = keyOfToken(token)
  const entry = cacheOf(ctx).get(key, async () => {
    const row = await findToken(ctx.sql, Buffer.from(key, 'base64'))
    if (!row || row.expired || row.revoked || row.exchanged) return { viewer: null }
    return {
      viewer: { id: row.user_id, family: row.family, expiresAt: performance.now() + row.expires_in_ms },
    }
  })
  return entry instanceof Promise ? entry.then(stillGood) : stillGood(entry)
}

/** The same from memory alone; undefined for a token that this process has not met lately. */
export function recallViewer(ctx: Context, token: string): Viewer | null | undefined {
  const entry = cacheOf(ctx).recall(keyOfToken(token))
  return entry && stillGood(entry)
}

const stillGood = ({ viewer }: Entry): Viewer | null =>
  viewer && viewer.expiresAt > performance.now() ? viewer : null

/**
 * Exchanges a token for a new one, once. Presenting it again more than 30 seconds later revokes the whole family
 * (sign-in-5); within them the client is given another token, because it may have lost the first answer.
 */
export async function refreshToken(ctx: Context, token: string, device: Device): Promise<IssuedToken> {
  const digest = hashOf(token)
  const result = await transaction(ctx.sql, async (tx) => {
    const exchange = await exchangeToken(tx, digest)
    if (!exchange || exchange.outcome === 'over') return { keys: [] }
    if (exchange.outcome === 'reused')
      return { keys: await revokeTokens(ctx, tx, exchange.user_id, { family: exchange.family }) }
    cacheOf(ctx).announce(tx, keyOf(digest))
    return {
      keys: [keyOf(digest)],
      issued: await issueToken(tx, exchange.user_id, { family: exchange.family, device }),
    }
  })
  forgetTokens(ctx, result.keys)
  if (!result.issued) throw unauthenticated()
  return result.issued
}

/** More tokens than this are announced as a whole. */
const ANNOUNCED_MAX = 20

/**
 * Ends one sign-in (`family`) or all of a person's but `except`, on every node when the transaction commits. Answers
 * what to give to `forgetTokens` after it.
 */
export async function revokeTokens(
  ctx: Context,
  tx: Db,
  userId: number,
  { family = null, except = null }: { family?: string | null; except?: string | null } = {},
): Promise<string[]> {
  const hashes = await revokeFamilies(tx, userId, family, except)
  const keys = hashes.length > ANNOUNCED_MAX ? ['*'] : hashes.map(keyOf)
  for (const key of keys) cacheOf(ctx).announce(tx, key)
  sendSignal(tx, REVOKED, userId)
  return keys
}

/** Makes this node look tokens up anew at once: those that `revokeTokens` answered, or all. */
export function forgetTokens(ctx: Context, keys: string[] = ['*']): void {
  for (const key of keys) cacheOf(ctx).drop(key)
}

/** Which of these viewers' sign-ins were ended, by family. */
export { findRevokedFamilies as findRevoked } from './queries.ts'

/** Calls back, on every node, with whose sign-ins were ended: for what outlives the request it began with. */
export const onRevocation = (ctx: Context, handler: (userId: number) => void) =>
  ctx.signals.on(REVOKED, (userId) => handler(Number(userId)))

/** Deletes what can no longer be used, in batches. */
export async function tidyTokens(ctx: Context): Promise<void> {
  while ((await removeOldTokens(ctx.sql)) === 5000);
}
