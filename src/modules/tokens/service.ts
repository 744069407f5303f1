import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Context } from '#platform/context.ts'
import { announce, type Db, sendSignal, transaction } from '#platform/database'
import { unauthenticated } from '#platform/errors.ts'
import { type Device, TOKEN_MINUTES, type Viewer } from '#platform/http'
import { addJob } from '#platform/jobs'
import { defineCache } from '#platform/memory'
import { exchangeToken, findToken, insertToken, removeOldTokens, revokeFamilies } from './queries.ts'

const REFRESH_MINUTES = 20_160

export type IssuedToken = {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  refresh_ttl: number
}

type Entry = { viewer: Viewer | null }

const REVOKED = 'sign-ins-ended'

const TOKENS = 'tokens'
const cacheOf = defineCache<Entry>(TOKENS, { max: 100_000, ttlMs: 30_000 })
const hashOf = (token: string) => hash('sha256', token, 'buffer')
/**
 * Every request computes this key. One `hash` call takes half the time of separate calls for digest and
 * encoding.
 */
const keyOfToken = (token: string) => hash('sha256', token, 'base64')
const keyOf = (digest: Buffer) => digest.toString('base64')

/** Opens a new session unless `family` is given. */
export async function issueToken(
  sql: Db,
  userId: number,
  { family = randomUUID(), device = null }: { family?: string; device?: Device | null } = {},
): Promise<IssuedToken> {
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

/** Returns undefined on a cache miss, and null for an invalid token. */
export function cachedViewer(ctx: Context, token: string): Viewer | null | undefined {
  const entry = cacheOf(ctx).recall(keyOfToken(token))
  return entry && stillGood(entry)
}

const stillGood = ({ viewer }: Entry): Viewer | null =>
  viewer && viewer.expiresAt > performance.now() ? viewer : null

/**
 * A repeated exchange within 30 seconds returns another token, because the client may have lost the first
 * response. A repeated exchange after that time revokes the whole session (sign-in-5).
 */
export async function refreshToken(ctx: Context, token: string, device: Device): Promise<IssuedToken> {
  const digest = hashOf(token)
  const issued = await transaction(ctx.sql, async (tx) => {
    const exchange = await exchangeToken(tx, digest)
    if (!exchange || exchange.outcome === 'over') return undefined
    if (exchange.outcome === 'reused') {
      await revokeTokens(ctx, tx, exchange.user_id, { family: exchange.family })
      return undefined
    }
    // Sends a plain signal, because token exchanges are too frequent for durable announcements. After a lost
    // signal, nodes accept the old token for up to 30 seconds.
    sendSignal(tx, TOKENS, keyOf(digest))
    cacheOf(ctx).dropHere(tx, keyOf(digest))
    return issueToken(tx, exchange.user_id, { family: exchange.family, device })
  })
  if (!issued) throw unauthenticated()
  return issued
}

/** With more revoked tokens of each user than this, one invalidation clears the whole cache. */
const ANNOUNCED_MAX = 20

async function announceRevoked(
  ctx: Context,
  tx: Db,
  userIds: readonly number[],
  hashes: readonly Buffer[],
): Promise<void> {
  const keys = hashes.length > ANNOUNCED_MAX * userIds.length ? ['*'] : hashes.map(keyOf)
  if (keys.length > 0) await cacheOf(ctx).announce(tx, ...keys)
  await announce(tx, REVOKED, userIds)
}

/** Revokes all sessions of several users, but keeps their chat passwords. */
export const revokeTokensOf = async (ctx: Context, tx: Db, userIds: readonly number[]): Promise<void> =>
  announceRevoked(ctx, tx, userIds, await revokeFamilies(tx, userIds))

/**
 * Revokes one session, or all sessions but `except`. Unless `keepsChat` is set, also replaces the chat
 * password, because a token holder may have read the password.
 */
export async function revokeTokens(
  ctx: Context,
  tx: Db,
  userId: number,
  {
    family = null,
    except = null,
    keepsChat = false,
  }: { family?: string | null; except?: string | null; keepsChat?: boolean } = {},
): Promise<void> {
  await announceRevoked(ctx, tx, [userId], await revokeFamilies(tx, [userId], family, except))
  if (!keepsChat) await addJob(tx, 'sign_ins_ended', { id: userId }, { key: `sign_ins_ended:${userId}` })
}

export { findEndedFamilies as findEnded, findRevokedFamilies as findRevoked } from './queries.ts'

/** Calls `handler` on every node after a revocation, to close connections that outlive their request. */
export const onRevocation = (ctx: Context, handler: (userId: number) => void) =>
  ctx.signals.on(REVOKED, (userId) => handler(Number(userId)))

export async function tidyTokens(ctx: Context): Promise<void> {
  while ((await removeOldTokens(ctx.sql)) === 5000);
}
