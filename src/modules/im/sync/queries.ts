import pTimeout from 'p-timeout'
import { type Context, defineState } from '#platform/context.ts'
import { type Db, type Fragment, ifGiven, logFailure, type Row } from '#platform/database'
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
      and not (awaits_provider and provider = ${provider} and deleted_at is null)
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
  await sql`update im_groups set provider = ${provider}, provider_id = ${providerId} where id = ${id}`
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
      and provider_id is not null and not awaits_provider
    order by id limit ${limit}`
}

export type AwaitingGroup = Row<'im_groups', 'id' | 'provider' | 'provider_id'> & { provider_id: string }

/** Lists groups of an import whose names and members the provider has, of all providers or one. */
export const listAwaitingGroups = (
  sql: Db,
  { last, limit, provider }: { last: number; limit: number; provider?: string },
) => sql<AwaitingGroup[]>`
  select id, provider, provider_id from im_groups
  where id > ${last} and awaits_provider and deleted_at is null and provider_id is not null
    ${ifGiven(sql, provider, (name) => sql`and provider = ${name}`)}
  order by id limit ${limit}`

/**
 * Stores what the provider knows about a group. Keeps the settings and members of a group that was changed in Kith
 * meanwhile, and its owner if the provider's has no account in Kith.
 */
export async function saveAdopted(
  tx: Db,
  { id, provider_id }: AwaitingGroup,
  { settings, owner, members }: { settings: GroupSettings; owner: number; members: number[] },
): Promise<void> {
  await tx`
    with known as (select id from users where id = any(${[owner, ...members]}::bigint[]) and deleted_at is null),
    adopted as (
      update im_groups g set awaits_provider = false,
        name = case when version = 1 then ${settings.name} else name end,
        description = case when version = 1 then ${settings.description} else description end,
        public = case when version = 1 then ${settings.public} else public end,
        members_only = case when version = 1 then ${settings.membersOnly} else members_only end,
        allow_invites = case when version = 1 then ${settings.allowInvites} else allow_invites end,
        max_users = case when version = 1 then ${settings.maxUsers} else max_users end,
        owner_id = coalesce((select id from known where id = ${owner} and g.version = 1), owner_id)
      where id = ${id} and awaits_provider and provider_id = ${provider_id}
      returning id, owner_id, version
    ), gone as (
      delete from im_group_members m using adopted a
      where m.group_id = a.id and a.version = 1 and m.user_id <> a.owner_id and m.user_id <> all(${members}::bigint[])
    )
    insert into im_group_members (group_id, user_id)
    select adopted.id, k.id from adopted, known k
    union select id, owner_id from adopted
    on conflict do nothing`
}

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
