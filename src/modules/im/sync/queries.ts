import pTimeout from 'p-timeout'
import { type Context, defineState } from '#platform/context.ts'
import { type Db, type Fragment, logFailure, type Row } from '#platform/database'
import { addJob } from '#platform/jobs'
import type { ImGroupSettings } from '../groups/queries.ts'
import { type GroupSettings, ImError } from '../providers/provider.ts'

export type LeasedGroup = ImGroupSettings &
  Row<'im_groups', 'id' | 'provider' | 'provider_id' | 'creator_id' | 'owner_id' | 'version'> & {
    deleted: boolean
  }

/**
 * Excludes groups of an import until the operator has chosen a provider, because a sync with another provider than theirs
 * replaces the ids under which it holds their messages.
 */
const isSettled = (sql: Db, isChosen: boolean): Fragment =>
  isChosen ? sql`true` : sql`(provider is distinct from 'easemob' or not exists (select from imports))`

/** A lease that is longer than any sync takes comes from a database whose clock was ahead. */
export const isUnleased = (sql: Db): Fragment => sql`
  (leased_until is null or leased_until not between now() and now() + make_interval(secs => ${LEASE_SECONDS * 2}))`

export async function leaseGroup(
  sql: Db,
  id: number,
  { provider, isChosen }: { provider: string; isChosen: boolean },
  seconds: number,
): Promise<LeasedGroup | undefined> {
  const [row] = await sql<LeasedGroup[]>`
    update im_groups set leased_until = now() + make_interval(secs => ${seconds})
    where id = ${id} and (synced_version < version or provider is distinct from ${provider})
      and ${isUnleased(sql)} and ${isSettled(sql, isChosen)}
      and not (unloaded and provider = ${provider} and deleted_at is null)
    returning id, provider, provider_id, name, description, public, members_only, allow_invites, max_users,
      creator_id, owner_id, version, deleted_at is not null as deleted`
  return row
}

/** A sync must call this after it takes the lease, so that the list is at least as new as the leased version. */
export async function listMemberIds(sql: Db, groupId: number): Promise<number[]> {
  const rows = await sql<{ user_id: number }[]>`
    select user_id from im_group_members where group_id = ${groupId} order by user_id`
  return rows.map(({ user_id }) => user_id)
}

export async function extendLease(sql: Db, id: number, seconds: number): Promise<void> {
  await sql`update im_groups set leased_until = now() + make_interval(secs => ${seconds})
    where id = ${id} and leased_until is not null`
}

export async function saveProviderId(sql: Db, id: number, provider: string, providerId: string | null) {
  await sql`
    update im_groups set provider = ${provider}, provider_id = ${providerId}, unloaded = false where id = ${id}`
}

export async function confirmGroup(sql: Db, id: number, provider: string, version: number): Promise<boolean> {
  const [row] = await sql<{ again: boolean }[]>`
    update im_groups set synced_version = ${version}, provider = ${provider}, leased_until = null, attempts = 0,
      last_error = null
    where id = ${id} returning version > synced_version as again`
  return row?.again ?? false
}

export async function failGroup(sql: Db, id: number, error: string): Promise<number> {
  const [row] = await sql<{ attempts: number }[]>`
    update im_groups set leased_until = null, attempts = attempts + 1, last_error = ${error.slice(0, 500)}
    where id = ${id} returning attempts`
  return row?.attempts ?? 1
}

export async function dropGroup(sql: Db, id: number): Promise<void> {
  await sql`delete from im_groups where id = ${id} and deleted_at is not null`
}

export async function isGroupConfirmed(
  sql: Db,
  id: number,
  provider: string,
  version: number,
): Promise<boolean> {
  const [row] = await sql<{ confirmed: boolean }[]>`
    select synced_version >= ${version} and provider is not distinct from ${provider} as confirmed
    from im_groups where id = ${id}`
  return row?.confirmed ?? true
}

export async function listAnnouncements(
  sql: Db,
  groupId: number,
): Promise<{ id: string; ext: Record<string, unknown> }[]> {
  return sql<{ id: string; ext: Record<string, unknown> }[]>`
    select id::text, ext from im_announcements where group_id = ${groupId} order by id limit 100`
}

export async function deleteAnnouncement(sql: Db, id: string): Promise<void> {
  await sql`delete from im_announcements where id = ${id}`
}

export async function listWaitingGroups(sql: Db, limit: number): Promise<number[]> {
  const rows = await sql<{ id: number }[]>`
    select id from im_groups g
    where synced_version < version and ${isUnleased(sql)}
      and not exists (select from graphile_worker.jobs j where j.key = 'im_group:' || g.id)
    order by id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Makes groups and accounts that were synced with a former provider due for a sync with `provider`. */
export async function moveToProvider(sql: Db, provider: string, isChosen: boolean): Promise<void> {
  await sql`
    with moved as (
      update im_groups set synced_version = 0 where provider is distinct from ${provider} and synced_version > 0
        and ${isSettled(sql, isChosen)}
    )
    update im_accounts set synced_version = 0 where provider is distinct from ${provider} and synced_version > 0`
}

type ConfirmedGroup = ImGroupSettings &
  Row<'im_groups', 'id' | 'owner_id' | 'version'> & { provider_id: string }

export async function listConfirmedGroups(
  sql: Db,
  lastId: number,
  provider: string,
  limit: number,
): Promise<ConfirmedGroup[]> {
  return sql<ConfirmedGroup[]>`
    select id, provider_id, name, description, public, members_only, allow_invites, max_users, owner_id, version
    from im_groups
    where id > ${lastId} and synced_version = version and provider = ${provider} and deleted_at is null
      and provider_id is not null and not unloaded
    order by id limit ${limit}`
}

type UnloadedGroup = Row<'im_groups', 'id'> & { provider_id: string }

export const listUnloadedGroups = (sql: Db, lastId: number, provider: string, limit: number) => sql<
  UnloadedGroup[]
>`
  select id, provider_id from im_groups
  where unloaded and id > ${lastId} and provider = ${provider} and provider_id is not null and deleted_at is null
  order by id limit ${limit}`

const MEMBERS_MAX = { least: 2, most: 2000 }

/** Stores what the provider holds of a group. Accounts without a user are left out. */
export async function saveLoadedGroup(
  tx: Db,
  id: number,
  { settings, owner, names }: { settings: GroupSettings; owner: string | null; names: string[] },
): Promise<void> {
  const ids = [...names, owner ?? ''].filter((name) => /^[1-9]\d{0,14}$/.test(name)).map(Number)
  const { name, description, public: isPublic, membersOnly, allowInvites, maxUsers } = settings
  const most = Math.min(Math.max(maxUsers, MEMBERS_MAX.least), MEMBERS_MAX.most)
  const [row] = await tx<{ owner_id: number }[]>`
    with former as (select id, owner_id from im_groups where id = ${id} and unloaded for update)
    update im_groups g set unloaded = false, name = ${name}, description = ${description}, public = ${isPublic},
      members_only = ${membersOnly}, allow_invites = ${allowInvites}, max_users = ${most}, last_error = null,
      owner_id = coalesce((select u.id from users u where u.id = ${Number(owner) || 0}), g.owner_id)
    from former f where g.id = f.id returning f.owner_id`
  if (!row) return
  await tx`
    insert into im_group_members (group_id, user_id) select ${id}, id from users where id = any(${ids})
    on conflict do nothing`
  await tx`
    delete from im_group_members m using im_groups g
    where m.group_id = ${id} and g.id = m.group_id and m.user_id = ${row.owner_id} and g.owner_id <> m.user_id
      and not m.user_id = any(${ids})`
}

export const failLoad = (sql: Db, id: number, error: string) => sql`
  update im_groups set last_error = ${error} where id = ${id} and unloaded and last_error is distinct from ${error}`

export async function markDrifted(sql: Db, id: number, version: number): Promise<void> {
  await sql`update im_groups set synced_version = version - 1 where id = ${id} and version = ${version}`
}

/** Deleted groups count until the provider has deleted its copy. */
export type Backlog = {
  accounts: number
  waiting_accounts: number
  groups: number
  waiting_groups: number
  last_error: string | null
}

export async function countBacklog(sql: Db): Promise<Backlog> {
  const [row] = await sql<[Backlog]>`
    select (select count(*)::int from im_accounts) as accounts,
      (select count(*)::int from im_accounts where synced_version < version) as waiting_accounts,
      (select count(*)::int from im_groups) as groups,
      (select count(*)::int from im_groups where synced_version < version) as waiting_groups,
      coalesce(
        (select last_error from im_groups where synced_version < version and last_error is not null limit 1),
        (select last_error from im_accounts where synced_version < version and last_error is not null limit 1)
      ) as last_error`
  return row
}

export async function countImBacklog(sql: Db): Promise<{ accounts: number; groups: number }> {
  const [row] = await sql<[{ accounts: number; groups: number }]>`
    select (select count(*)::int from im_accounts where synced_version < version) as accounts,
           (select count(*)::int from im_groups where synced_version < version) as groups`
  return row
}

type Kind = 'im_account' | 'im_group'

/**
 * Duration of a lease. When a process crashes, the groups and accounts that it leased are blocked for at most
 * this time.
 */
export const LEASE_SECONDS = 30
/**
 * Delay of the sync job that a request enqueues. The request itself runs the sync, and the job completes the
 * sync if the process crashes.
 */
const AFTER_REQUEST_SECONDS = 10
const CLOSING_MS = 5_000

/**
 * Each change of an account or group must call this in its own transaction. At most one job per account or group
 * waits.
 */
export const addSync = (tx: Db, kind: Kind, id: number, delaySeconds = AFTER_REQUEST_SECONDS) =>
  addJob(tx, kind, { id }, { key: `${kind}:${id}`, queue: `${kind}:${id}`, delaySeconds })

/**
 * Enqueues a retry. The delay grows to about 30 seconds during an outage or a rate limit, and to about 10 minutes
 * after other faults.
 */
export async function addRetry(ctx: Context, kind: Kind, id: number, attempts: number, error: unknown) {
  await addSync(ctx.sql, kind, id, retryDelay(attempts, error))
}

function retryDelay(attempts: number, error: unknown): number {
  const fault = error instanceof ImError ? error : undefined
  const passing = fault?.fault === 'unavailable' || fault?.fault === 'limited'
  const backoff = Math.min(2 ** Math.min(attempts, 12) / 4, passing ? 30 : 600)
  return Math.max(backoff * (0.75 + Math.random() / 2), fault?.retryAfterSeconds ?? 0)
}

export const madeStatus = (confirmed: boolean): 201 | 202 => (confirmed ? 201 : 202)

const running = defineState((ctx) => {
  const all = new Set<Promise<unknown>>()
  ctx.onClose.unshift(async () => {
    await pTimeout(Promise.allSettled(all), { milliseconds: CLOSING_MS, message: false })
  })
  return all
})

function keepRunning(ctx: Context, work: Promise<unknown>) {
  const held = running(ctx)
  held.add(work)
  void work
    .catch((error) => logFailure(ctx.log, error, 'instant-messaging sync failed'))
    .finally(() => held.delete(work))
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Returns false when the sync fails, or does not confirm the change within the time limit of a request. */
export async function waitFor(
  ctx: Context,
  sync: () => Promise<'done' | 'busy' | 'failed'>,
  isConfirmed: () => Promise<boolean>,
): Promise<boolean> {
  const deadline = performance.now() + ctx.config.im.confirmMs
  for (;;) {
    const work = sync()
    keepRunning(ctx, work)
    const left = Math.max(1, deadline - performance.now())
    const outcome = await pTimeout(
      work.catch(() => 'failed' as const),
      { milliseconds: left, fallback: () => 'late' as const },
    )
    // `busy`: another sync holds the lease, or has already confirmed the change.
    if (outcome === 'done' || outcome === 'busy') if (await isConfirmed()) return true
    if (outcome === 'failed' || performance.now() >= deadline) return false
    await pause(25)
  }
}
