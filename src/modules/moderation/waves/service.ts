import type { ContentRemoval } from '#contracts/content.ts'
import { isTime, wireTime, wireTimeOrNull } from '#lib/time.ts'
import { type Ability, hasAbility } from '#modules/abilities/index.ts'
import { listInviters, readAccountSettings } from '#modules/accounts/index.ts'
import { networkOf } from '#modules/address-blocks/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { listNetworks } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { forbidden, invalidField, notFound } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'
import {
  findAlikeFeeds,
  findWave,
  insertDecision,
  insertWave,
  listWaveMembers,
  saveUndo,
  WAVE_MAX,
  type WaveRow,
} from './queries.ts'
import {
  noCriteria,
  type Wave,
  type WaveCriteria,
  type WaveDecision,
  type WaveInput,
  type WaveMember,
  type WaveMemberQuery,
  waveDecided,
  waveEmpty,
  waveNotUndoable,
  waveTooLarge,
} from './schema.ts'

export type Removals = Record<string, ContentRemoval | undefined>

const deletionDays = async (ctx: Context): Promise<number> =>
  (await readAccountSettings(ctx))['account:deletion-days']

export async function waveViews(ctx: Context, rows: WaveRow[]): Promise<Wave[]> {
  const days = await deletionDays(ctx)
  return rows.map((row) => ({
    ...row,
    undoable: row.state === 'preview' ? days > 0 : row.undoable,
    created_at: wireTime(row.created_at),
    decided_at: wireTimeOrNull(row.decided_at),
    due_at: wireTimeOrNull(row.due_at),
    finished_at: wireTimeOrNull(row.finished_at),
    undone_at: wireTimeOrNull(row.undone_at),
  }))
}

export async function getWave(ctx: Context, id: number): Promise<WaveRow> {
  const row = await findWave(ctx.sql, id)
  if (!row) throw notFound()
  return row
}

/** Returns the network as far as sessions keep it, so that a wave stores no address of a single person. */
function widened(network: string): string {
  const [address = '', bits] = network.split('/')
  return networkOf(`${address}/${Math.min(Number(bits), address.includes(':') ? 48 : 24)}`) ?? network
}

/** Returns the given filters in the form in which the statements compare them. */
function checkedCriteria({ include_verified: _, network, host, ...rest }: WaveInput): WaveCriteria {
  const criteria: WaveCriteria = { ...rest }
  if (host !== undefined && host !== '')
    criteria.host = host
      .toLowerCase()
      .replace(/^www\./, '')
      .replace(/\.$/, '')
  if (network !== undefined && network !== '') {
    const prefix = networkOf(network)
    if (prefix === undefined)
      throw invalidField('network', {
        en: 'This is not a network, or it is wider than /8 (IPv4) or /16 (IPv6).',
        zh: '网段格式不正确，或范围过大（IPv4 不得大于 /8，IPv6 不得大于 /16）。',
      })
    criteria.network = widened(prefix)
  }
  for (const field of ['registered_from', 'registered_to'] as const) {
    const time = criteria[field]
    if (time === undefined) continue
    if (!isTime(time)) throw invalidField(field, { en: 'This time does not exist.', zh: '时间无效。' })
    criteria[field] = time.length === 10 ? `${time} 00:00:00` : time
  }
  if (Object.values(criteria).every((value) => value === undefined)) throw noCriteria()
  return criteria
}

export async function previewWave(ctx: Context, actor: Actor, input: WaveInput): Promise<number> {
  const criteria = checkedCriteria(input)
  const { include_verified: includeVerified = false } = input
  return transaction(ctx.sql, async (tx) => {
    const { id, matched, accounts } = await insertWave(tx, { criteria, includeVerified, by: actor.viewer.id })
    if (matched > WAVE_MAX) throw waveTooLarge()
    if (accounts === 0) throw waveEmpty()
    return id
  })
}

export async function listMembers(
  ctx: Context,
  wave: WaveRow,
  query: WaveMemberQuery,
  viewerId: number,
): Promise<{ data: WaveMember[]; total: number }> {
  const { data, total } = await listWaveMembers(ctx.sql, wave.id, query)
  const ids = data.map(({ id }) => id)
  const isAlike = wave.criteria.text !== undefined || wave.criteria.host !== undefined
  const seesNetworks = await hasAbility(ctx, viewerId, 'admin:user:update')
  const [inviters, networks, feeds] = await Promise.all([
    listInviters(ctx.sql, ids),
    seesNetworks ? listNetworks(ctx.sql, ids) : [],
    isAlike ? findAlikeFeeds(ctx.sql, wave.criteria, ids) : [],
  ])
  const inviterOf = new Map(inviters.map((row) => [row.user_id, row.inviter_id]))
  const networksOf = new Map(networks.map((row) => [row.user_id, row.networks]))
  const feedOf = new Map(feeds.map((row) => [row.user_id, row.feed_id]))
  return {
    data: data.map((row) => ({
      ...row,
      inviter_id: inviterOf.get(row.id) ?? null,
      networks: networksOf.get(row.id) ?? [],
      feed_id: feedOf.get(row.id) ?? null,
      created_at: wireTime(row.created_at),
    })),
    total,
  }
}

/** One wave runs at a time. */
export const enqueueWave = (tx: Tx, id: number) =>
  addJob(tx, 'run_account_wave', { id }, { queue: 'account_waves', key: `account_wave ${id}` })

export async function decideWave(
  ctx: Context,
  actor: Actor,
  id: number,
  { action, reason }: WaveDecision,
  removals: Removals,
): Promise<void> {
  const by = actor.viewer.id
  if (action === 'delete')
    for (const removal of Object.values(removals))
      if (removal?.ofAuthor && !(await hasAbility(ctx, by, removal.ability as Ability))) throw forbidden()
  const days = await deletionDays(ctx)
  await transaction(ctx.sql, async (tx) => {
    const wave = await findWave(tx, id, { lock: true })
    if (!wave) throw notFound()
    if (wave.state !== 'preview') throw waveDecided()
    await insertDecision(tx, id, { action, reason, by, days })
    await recordAudit(tx, actor, {
      action: `account-waves.${action}`,
      subjectType: 'account-waves',
      subjectId: id,
      after: {
        reason,
        accounts: wave.accounts,
        // Names the filters only. Their values may be personal data, which the log would keep forever.
        filters: Object.keys(wave.criteria),
        include_verified: wave.include_verified,
      },
    })
    await enqueueWave(tx, id)
  })
}

/** Waits for the batch in progress. The job then goes on with the undo. */
export async function undoWave(ctx: Context, actor: Actor, id: number, reason: string): Promise<void> {
  await transaction(ctx.sql, async (tx) => {
    const wave = await findWave(tx, id, { lock: true })
    if (!wave) throw notFound()
    if (!wave.undoable) throw waveNotUndoable()
    await saveUndo(tx, id, actor.viewer.id)
    await recordAudit(tx, actor, {
      action: 'account-waves.undo',
      subjectType: 'account-waves',
      subjectId: id,
      before: { state: wave.state, action: wave.action, processed: wave.processed },
      after: { reason },
    })
    await enqueueWave(tx, id)
  })
}
