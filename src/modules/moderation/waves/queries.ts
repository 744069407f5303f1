import { escapeLike } from '#lib/text.ts'
import { selectPrivileged } from '#modules/abilities/index.ts'
import { selectInvitationTree } from '#modules/accounts/index.ts'
import { selectAlike } from '#modules/feeds/index.ts'
import { selectSignedInFrom } from '#modules/tokens/index.ts'
import {
  type Db,
  type Fragment,
  ifGiven,
  listingClause,
  type Row,
  type Tables,
  type Tx,
  when,
} from '#platform/database'
import { pageOf } from '#platform/http'
import type { Wave, WaveCriteria, WaveMember, WaveMemberQuery, WaveQuery, WaveTotals } from './schema.ts'

/** Maximum number of accounts of one wave. */
export const WAVE_MAX = 20_000

export type WaveRow = Tables['account_waves'] & {
  criteria: WaveCriteria
  totals: WaveTotals
  state: Wave['state']
  action: Wave['action']
  undoable: boolean
}

const matching = (sql: Db, criteria: WaveCriteria): Fragment => sql`
  u.erased_at is null
    ${ifGiven(sql, criteria.invited_by, (id) => sql`and u.id in (${selectInvitationTree(sql, id)})`)}
    ${ifGiven(sql, criteria.network, (network) => sql`and u.id in (${selectSignedInFrom(sql, network)})`)}
    ${ifGiven(sql, criteria.registered_from, (time) => sql`and u.created_at >= ${time}::timestamptz`)}
    ${ifGiven(sql, criteria.registered_to, (time) => sql`and u.created_at < ${time}::timestamptz`)}
    ${when(
      sql,
      criteria.text !== undefined || criteria.host !== undefined,
      () => sql`and u.id in (select a.user_id from (${selectAlike(sql, criteria)}) a)`,
    )}`

type Preview = { matched: number; accounts: number; totals: WaveTotals }

/** Stores the accounts that match now. Later steps read only these ids. */
export async function insertWave(
  tx: Tx,
  wave: { criteria: WaveCriteria; includeVerified: boolean; by: number },
): Promise<{ id: number; matched: number; accounts: number }> {
  const { criteria, includeVerified, by } = wave
  const [{ id }] = await tx<[{ id: number }]>`
    insert into account_waves (criteria, include_verified, totals, accounts, created_by)
    values (${tx.json(criteria)}, ${includeVerified}, '{}', 0, ${by}) returning id`
  const [found] = await tx<[Preview]>`
    with matched as materialized (
      select u.id, case
        when u.id = ${by} then 'oneself'
        when u.id in (${selectPrivileged(tx)}) then 'administrator'
        when u.deleted_at is not null then 'disabled'
        when u.verified is not null and not ${includeVerified}::boolean then 'verified'
      end as cause
      from users u where ${matching(tx, criteria)} order by u.id limit ${WAVE_MAX + 1}
    ),
    stored as (
      insert into account_wave_members (wave_id, user_id) select ${id}, id from matched where cause is null
    ),
    counts as (
      select coalesce(sum(c.feeds_count), 0)::bigint as feeds, coalesce(sum(c.questions_count), 0)::bigint as questions,
        coalesce(sum(c.answers_count), 0)::bigint as answers, coalesce(sum(c.followers_count), 0)::bigint as followers
      from matched m join user_counts c on c.user_id = m.id where m.cause is null
    )
    select count(*)::int as matched, count(*) filter (where cause is null)::int as accounts,
      (select to_jsonb(c) from counts c) || jsonb_build_object('excluded', jsonb_build_object(
        'administrator', count(*) filter (where cause = 'administrator'),
        'oneself', count(*) filter (where cause = 'oneself'),
        'verified', count(*) filter (where cause = 'verified'),
        'disabled', count(*) filter (where cause = 'disabled')
      )) as totals
    from matched`
  await tx`
    update account_waves set accounts = ${found.accounts}, totals = ${tx.json(found.totals)} where id = ${id}`
  return { id, matched: found.matched, accounts: found.accounts }
}

const columns = (sql: Db) => sql`
  w.*, w.state in ('running', 'done') and (w.due_at is null or w.due_at > now()) as undoable`

export function listWaves(sql: Db, query: WaveQuery) {
  const where = sql`
    where true
      ${ifGiven(sql, query.state, (state) => sql`and w.state = ${state}`)}
      ${ifGiven(sql, query.q, (part) => sql`and w.reason ilike ${`%${escapeLike(part)}%`}`)}`
  return pageOf<WaveRow>(
    sql,
    sql`select ${columns(sql)} from account_waves w ${where} ${listingClause(sql, query, { id: sql`w.id` })}`,
    sql`select count(*)::int as total from account_waves w ${where}`,
  )
}

/** `lock` holds the wave against another decision, an undo and another batch. */
export async function findWave(
  sql: Db,
  id: number,
  { lock = false }: { lock?: boolean } = {},
): Promise<WaveRow | undefined> {
  // A statement that waits for the lock reads the row again, but computes from the new row only.
  const [row] = await sql<WaveRow[]>`
    select ${columns(sql)} from account_waves w where w.id = ${id} ${when(sql, lock, () => sql`for no key update`)}`
  return row
}

type WaveMemberRow = Omit<WaveMember, 'inviter_id' | 'networks' | 'feed_id'>

export function listWaveMembers(sql: Db, waveId: number, query: WaveMemberQuery) {
  const where = sql`
    where m.wave_id = ${waveId}
      ${ifGiven(sql, query.state, (state) => sql`and m.state = ${state}`)}
      ${ifGiven(sql, query.q, (part) => sql`and u.name ilike ${`%${escapeLike(part)}%`}`)}`
  const from = sql`account_wave_members m join users u on u.id = m.user_id`
  return pageOf<WaveMemberRow>(
    sql,
    sql`select u.id, u.name, m.state, u.created_at, c.feeds_count, c.questions_count, c.answers_count, c.followers_count
      from ${from} join user_counts c on c.user_id = u.id ${where}
      ${listingClause(sql, query, { id: sql`m.user_id` })}`,
    sql`select count(*)::int as total from ${from} ${where}`,
  )
}

export const findAlikeFeeds = (sql: Db, criteria: WaveCriteria, userIds: readonly number[]) => sql<
  { user_id: number; feed_id: number }[]
>`
  select a.user_id, min(a.feed_id) as feed_id from (${selectAlike(sql, criteria)}) a
  where a.user_id = any(${userIds}) group by a.user_id`

export async function insertDecision(
  tx: Tx,
  id: number,
  decision: { action: 'disable' | 'delete'; reason: string; by: number; days: number },
): Promise<void> {
  const { action, reason, by, days } = decision
  await tx`
    update account_waves set state = 'running', action = ${action}, reason = ${reason}, decided_by = ${by},
      decided_at = now(), due_at = ${action === 'delete' ? tx`now() + make_interval(days => ${days})` : null}
    where id = ${id}`
}

export const saveUndo = (tx: Tx, id: number, by: number) => tx`
  update account_waves set state = 'undoing', undone_by = ${by}, undone_at = now(), processed = 0, finished_at = null
  where id = ${id}`

export async function saveState(tx: Tx, id: number, state: Wave['state']): Promise<void> {
  await tx`
    update account_waves set state = ${state}, processed = case when ${state} = 'deleting' then 0 else processed end,
      finished_at = case when ${state} = 'deleting' then null else now() end
    where id = ${id}`
}

export const countProcessed = (tx: Tx, id: number, count: number) => tx`
  update account_waves set processed = processed + ${count} where id = ${id}`

type MemberState = WaveMember['state']

export async function listMemberIds(
  sql: Db,
  waveId: number,
  states: readonly MemberState[],
  limit: number,
): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from account_wave_members
    where wave_id = ${waveId} and state = any(${states}) order by user_id limit ${limit}`
  return rows.map(({ user_id }) => user_id)
}

/** Locks accounts in the order of ids, like sanctions do. Later statements see what other decisions committed. */
export const lockAccounts = (tx: Tx, ids: readonly number[]) => tx`
  select from users where id = any(${ids}) order by id for no key update`

type Standing = Row<'users', 'id'> & { standing: MemberState }

/** How accounts stand that the caller has locked. `chosen` may be disabled. */
export const findStandings = (tx: Tx, ids: readonly number[], wave: WaveRow) => tx<Standing[]>`
  select u.id, case
    when u.erased_at is not null then 'erased'
    when u.deleted_at is not null then 'already'
    when u.id in (${selectPrivileged(tx)}) then 'administrator'
    when u.verified is not null and not ${wave.include_verified}::boolean then 'verified'
    else 'chosen'
  end as standing
  from users u where u.id = any(${ids})`

/** Stores the outcome with the disabling that is in force now, which the undo compares. */
export const saveMembers = (tx: Tx, waveId: number, ids: readonly number[], state: MemberState) => tx`
  update account_wave_members m set state = ${state},
    disabled_at = (select u.deleted_at from users u where u.id = m.user_id)
  where m.wave_id = ${waveId} and m.user_id = any(${ids})`

/** Members that vanished with their account, such as refused registrations. */
export const releaseVanished = (tx: Tx, waveId: number, ids: readonly number[]) => tx`
  update account_wave_members m set state = 'erased'
  where m.wave_id = ${waveId} and m.user_id = any(${ids}) and not exists (select from users u where u.id = m.user_id)`

/** Members whose account is still disabled by this wave and by no later decision. */
export async function findOwnDisabled(sql: Db, waveId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select u.id from account_wave_members m
    join users u on u.id = m.user_id and u.erased_at is null and u.deleted_at = m.disabled_at
    where m.wave_id = ${waveId} and m.state = 'disabled' and m.user_id = any(${ids}) order by u.id`
  return rows.map(({ id }) => id)
}

/**
 * Hands accounts over to another wave that met the same disabling and is still in force. The undo of that wave then
 * enables them. Returns the accounts that another wave holds.
 */
export async function handOver(tx: Tx, waveId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await tx<{ user_id: number }[]>`
    with heirs as (
      select distinct on (o.user_id) o.wave_id, o.user_id from account_wave_members o
      join account_wave_members m on m.wave_id = ${waveId} and m.user_id = o.user_id and m.disabled_at = o.disabled_at
      where o.user_id = any(${ids}) and o.wave_id <> ${waveId} and o.state = 'already'
      order by o.user_id, o.wave_id
    )
    update account_wave_members o set state = 'disabled' from heirs h
    where o.wave_id = h.wave_id and o.user_id = h.user_id returning o.user_id`
  return rows.map(({ user_id }) => user_id)
}

/** Settles the other members of a batch of an undo, whose accounts stay as they are. */
export const settleUndone = (tx: Tx, waveId: number, ids: readonly number[]) => tx`
  update account_wave_members set state = case state when 'disabled' then 'kept' else 'released' end
  where wave_id = ${waveId} and user_id = any(${ids}) and state in ('chosen', 'already', 'disabled')`

export async function listDueWaves(sql: Db): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from account_waves where state = 'done' and due_at <= now()
    union all
    select id from account_waves where state in ('running', 'undoing', 'deleting') order by id limit 1000`
  return rows.map(({ id }) => id)
}

/** Deletes previews without a decision after a day. */
export const deletePreviews = (sql: Db) => sql`
  delete from account_waves where id in (
    select id from account_waves where state = 'preview' and created_at < now() - interval '1 day' limit 10
  )`
