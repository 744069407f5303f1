import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { beyondOwnAbilities, findExcessAbilities } from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { alertOfSuspension } from '#modules/mail/index.ts'
import { notify } from '#modules/notifications/index.ts'
import { revokeTokens } from '#modules/tokens/index.ts'
import { requireNotErased } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Tx } from '#platform/database'
import { type ApiError, forbidden, invalidField } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import { defineCache } from '#platform/memory'
import {
  findSuspension,
  insertSanction,
  isInForce,
  liftSanction,
  listSilences,
  lockUsers,
  type OwnSanctionRow,
  type SanctionRow,
} from './queries.ts'
import {
  alreadySanctioned,
  cannotSanctionOneself,
  type OwnSanction,
  type Sanction,
  type SanctionInput,
  silencedBecause,
  suspendedBecause,
  type Told,
} from './schema.ts'

const times = (row: { ends_at: string | null; lifted_at: string | null; created_at: string }) => ({
  ends_at: wireTimeOrNull(row.ends_at),
  lifted_at: wireTimeOrNull(row.lifted_at),
  created_at: wireTime(row.created_at),
})

export const sanctionView = (row: SanctionRow): Sanction => ({
  ...row,
  ...times(row),
})

export const ownSanctionView = (row: OwnSanctionRow): OwnSanction => ({
  id: row.id,
  kind: row.kind,
  reason: row.reason,
  in_force: row.in_force,
  ...times(row),
  appeal:
    row.appeal_id === null
      ? null
      : {
          id: row.appeal_id,
          state: row.appeal_state ?? '',
          answer: row.appeal_answer,
          created_at: wireTime(row.appeal_created_at ?? ''),
        },
})

/** `until`: end of the silence on the clock of `performance.now()`, in milliseconds. */
type Silence = Told & { until: number }

const cacheOf = defineCache<Map<number, Silence>>('silences', { max: 1, ttlMs: 60_000 })

/** Caches all silenced users, because the server checks every write against them. */
const silences = (ctx: Context) =>
  cacheOf(ctx).get('all', async () => {
    const now = performance.now()
    return new Map(
      (await listSilences(ctx.sql)).map(({ user_id: id, reason, ends_at, left_ms: left }) => [
        id,
        { reason, ends_at, until: left === null ? Number.POSITIVE_INFINITY : now + left },
      ]),
    )
  })

export function findSilence(
  ctx: Context,
  userId: number,
  now = performance.now(),
): ApiError | undefined | Promise<ApiError | undefined> {
  const judge = (all: Map<number, Silence>) => {
    const silence = all.get(userId)
    return silence && silence.until > now ? silencedBecause(silence) : undefined
  }
  const all = silences(ctx)
  return all instanceof Promise ? all.then(judge) : judge(all)
}

/**
 * Callers must lock the account. Otherwise a suspension could commit between this check and the caller's
 * commit.
 */
export async function requireNotSuspended(tx: Db, userId: number): Promise<void> {
  const suspension = await findSuspension(tx, userId)
  if (suspension) throw suspendedBecause(suspension)
}

/**
 * Throws 422 for the actor's own account, and 403 for a user with abilities that the actor lacks
 * (administration-16).
 */
export async function imposeSanction(
  ctx: Context,
  tx: Tx,
  actor: Actor,
  userId: number,
  { kind, reason, hours }: SanctionInput,
  reportId: number | null = null,
): Promise<number> {
  const by = actor.viewer.id
  if (userId === by) throw cannotSanctionOneself()
  if (kind === 'warning' && hours !== undefined)
    throw invalidField('hours', { en: 'A warning cannot have an end.', zh: '警告没有期限。' })
  // Locks the actor and the sanctioned user, so that only the first of two mutual suspensions succeeds.
  const free = await lockUsers(tx, [userId, by])
  if (!free.has(by)) throw forbidden()
  await requireNotErased(tx, userId)
  if ((await findExcessAbilities(tx, userId, by)).length > 0) throw beyondOwnAbilities()
  if (await isInForce(tx, userId, kind)) throw alreadySanctioned()
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
  if (kind === 'silence') await cacheOf(ctx).announce(tx, 'all')
  if (kind === 'suspension') {
    await alertOfSuspension(ctx, tx, userId, told)
    await addJob(tx, 'user_access_changed', { id: userId })
    // Unlocks the chat account when the suspension expires, because expiry itself runs no code.
    if (hours !== undefined)
      await addJob(tx, 'user_access_changed', { id: userId }, { delaySeconds: hours * 3600 })
    // Keeps the chat password, because the `user_access_changed` job locks the chat account anyway (im-5).
    await revokeTokens(ctx, tx, userId, { keepsChat: true })
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
  return made.id
}

export async function lift(ctx: Context, tx: Tx, actor: Actor, id: number): Promise<boolean> {
  const lifted = await liftSanction(tx, id, actor.viewer.id)
  if (!lifted) return false
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
  return true
}
