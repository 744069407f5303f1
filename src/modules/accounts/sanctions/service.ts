import { wireTimeOrNull } from '#lib/time.ts'
import { findAbilitiesBeyond, mayDoMore } from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { forgetTokens, revokeTokens } from '#modules/tokens/index.ts'
import { defineCache } from '#platform/cache.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database.ts'
import { type ApiError, forbidden, invalidField } from '#platform/errors.ts'
import { addJob } from '#platform/jobs.ts'
import { alertOfSuspension } from '../alerts/service.ts'
import {
  sanctionedAlready,
  sanctionedOneself,
  silencedBecause,
  suspendedBecause,
  type Told,
} from './errors.ts'
import {
  findSuspension,
  holdPeople,
  insertSanction,
  isInForce,
  liftSanction,
  listSilences,
} from './queries.ts'
import type { SanctionInput } from './schema.ts'

/** Somebody who may only read; `until` in epoch milliseconds. */
type Silence = Told & { until: number }

const cacheOf = defineCache<Map<number, Silence>>('silences', { max: 1, ttlMs: 60_000 })

/** Everybody who may only read, in memory: each request that writes is held against it. */
const silences = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const now = Date.now()
    return new Map(
      (await listSilences(ctx.sql)).map(({ user_id: id, reason, ends_at, left_ms: left }) => [
        id,
        { reason, ends_at, until: left === null ? Number.POSITIVE_INFINITY : now + left },
      ]),
    )
  })

/** Why somebody may not write now, if so (sign-in-27). It ends by itself at its time. */
export function findSilence(
  ctx: Context,
  userId: number,
  now = Date.now(),
): ApiError | undefined | Promise<ApiError | undefined> {
  const judge = (all: Map<number, Silence>) => {
    const silence = all.get(userId)
    return silence && silence.until > now ? silencedBecause(silence) : undefined
  }
  const all = silences(ctx)
  return all instanceof Promise ? all.then(judge) : judge(all)
}

/** 403 for somebody who is suspended. Called while the account is held, so that no suspension comes in between. */
export async function refuseSuspended(tx: Db, userId: number): Promise<void> {
  const suspension = await findSuspension(tx, userId)
  if (suspension) throw suspendedBecause(suspension)
}

/** What to do after the commit, so that this node feels the change at once. */
export type AfterSanction = () => void

/**
 * Warns, silences or suspends somebody in the caller's transaction, tells them and keeps it in the audit log
 * (administration-16). Nobody does it to themselves, or to somebody who may do more than they. Call what it answers after
 * the commit.
 */
export async function impose(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  userId: number,
  { kind, reason, hours }: SanctionInput,
  reportId: number | null = null,
): Promise<{ id: number; after: AfterSanction }> {
  const by = actor.viewer.id
  if (userId === by) throw sanctionedOneself()
  if (kind === 'warning' && hours !== undefined)
    throw invalidField('hours', { en: 'A warning has no end.', zh: '警告没有期限。' })
  // Both, so that of two who suspend each other one comes first.
  const free = await holdPeople(tx, [userId, by])
  if (!free.has(by)) throw forbidden()
  if ((await findAbilitiesBeyond(tx, userId, by)).length > 0) throw mayDoMore()
  if (await isInForce(tx, userId, kind)) throw sanctionedAlready()
  const made = await insertSanction(tx, {
    userId,
    kind,
    reason,
    hours: hours ?? null,
    imposedBy: by,
    reportId,
  })
  const told = { kind, reason, ends_at: wireTimeOrNull(made.ends_at) }
  await recordAudit(tx, actor, {
    action: 'sanctions.impose',
    subjectType: 'users',
    subjectId: userId,
    after: { sanction: made.id, ...told, ...(reportId === null ? {} : { report: reportId }) },
  })
  let keys: string[] = []
  if (kind === 'silence') await cacheOf(ctx).announce(tx, 'all')
  if (kind === 'suspension') {
    await alertOfSuspension(ctx, tx, userId, told)
    await addJob(tx, 'user_access_changed', { id: userId })
    // The chat provider lets them in again when it ends by itself.
    if (hours !== undefined)
      await addJob(tx, 'user_access_changed', { id: userId }, { delaySeconds: hours * 3600 })
    keys = await revokeTokens(ctx, tx, userId)
  }
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'sanctions', id: made.id },
    data: {
      type: 'sanction',
      state: kind,
      contents: reason,
      ...(told.ends_at === null ? {} : { ends_at: told.ends_at }),
      resource: { type: 'users', id: userId },
    },
  })
  return {
    id: made.id,
    after: () => {
      if (kind === 'silence') cacheOf(ctx).drop('all')
      forgetTokens(ctx, keys)
    },
  }
}

/** Lifts what is in force in the caller's transaction; undefined when it is over. Use like `impose`. */
export async function lift(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  id: number,
): Promise<AfterSanction | undefined> {
  const lifted = await liftSanction(tx, id, actor.viewer.id)
  if (!lifted) return undefined
  const { user_id: userId, kind, reason } = lifted
  await recordAudit(tx, actor, {
    action: 'sanctions.lift',
    subjectType: 'users',
    subjectId: userId,
    before: { sanction: id, kind, reason },
  })
  if (kind === 'silence') await cacheOf(ctx).announce(tx, 'all')
  if (kind === 'suspension') await addJob(tx, 'user_access_changed', { id: userId })
  await notify(tx, {
    type: 'system',
    recipients: [userId],
    senderId: 0,
    cause: { type: 'sanctions', id },
    data: { type: 'sanction', state: 'lifted', resource: { type: 'users', id: userId } },
  })
  return () => {
    if (kind === 'silence') cacheOf(ctx).drop('all')
  }
}
