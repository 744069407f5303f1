import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { logFailure } from '#platform/database'
import { ensureAccounts, listUnconfirmed, syncAccounts } from '../accounts/service.ts'
import type { ImGroupSettings } from '../groups/queries.ts'
import { imProvider } from '../providers/choose.ts'
import {
  type GroupSettings,
  ImError,
  type ImProvider,
  type Outcomes,
  sameSettings,
} from '../providers/provider.ts'
import {
  addRetry,
  confirmGroup,
  deleteAnnouncement,
  dropGroup,
  extendLease,
  failGroup,
  isGroupConfirmed,
  LEASE_SECONDS,
  type LeasedGroup,
  leaseGroup,
  listAnnouncements,
  listMemberIds,
  saveProviderId,
  waitFor,
} from './queries.ts'

export const settingsOf = (row: ImGroupSettings): GroupSettings => ({
  name: row.name,
  description: row.description,
  public: row.public,
  membersOnly: row.members_only,
  allowInvites: row.allow_invites,
  maxUsers: row.max_users,
})

/** Repeats the sync of a group until no concurrent change is left. After `failed`, a job retries the sync. */
export async function syncGroup(ctx: Context, id: number): Promise<'done' | 'busy' | 'failed'> {
  const provider = imProvider(ctx)
  for (;;) {
    const group = await leaseGroup(
      ctx.sql,
      id,
      { provider: provider.name, isChosen: ctx.config.im.isChosen },
      LEASE_SECONDS,
    )
    if (!group) return 'busy'
    const beat = setInterval(
      () => void extendLease(ctx.sql, id, LEASE_SECONDS).catch(() => {}),
      (LEASE_SECONDS * 1000) / 3,
    )
    try {
      await bringInLine(ctx, provider, group)
      clearInterval(beat)
      if (!(await confirmGroup(ctx.sql, id, provider.name, group.version))) return 'done'
    } catch (error) {
      clearInterval(beat)
      if (!(error instanceof ImError))
        logFailure(ctx.log, error, 'instant-messaging sync failed', { group: id })
      const attempts = await failGroup(ctx.sql, id, messageOf(error))
      await addRetry(ctx, 'im_group', id, attempts, error)
      return 'failed'
    }
  }
}

export const confirmVersion = (ctx: Context, id: number, version: number) =>
  waitFor(
    ctx,
    () => syncGroup(ctx, id),
    () => isGroupConfirmed(ctx.sql, id, imProvider(ctx).name, version),
  )

async function bringInLine(ctx: Context, provider: ImProvider, group: LeasedGroup): Promise<void> {
  const key = String(group.id)
  const creator = String(group.creator_id)
  // Ignores a group id from a former provider.
  const known = group.provider === provider.name ? group.provider_id : null
  if (group.deleted) {
    const id = known ?? (await provider.findGroup({ key, owner: creator }))
    if (id !== undefined) await provider.deleteGroup(id)
    await dropGroup(ctx.sql, group.id)
    return
  }
  const memberIds = await listMemberIds(ctx.sql, group.id)
  await requireAccounts(ctx, [...new Set([group.creator_id, ...memberIds])])
  const settings = settingsOf(group)
  let id = known
  let found = id === null ? null : ((await provider.getGroups([id])).get(id) ?? null)
  if (id === null || !found) {
    id = await provider.createGroup({ key, owner: creator, settings })
    await saveProviderId(ctx.sql, group.id, provider.name, id)
    found = (await provider.getGroups([id])).get(id) ?? null
    if (!found) throw new ImError('unavailable', `group ${id} was created but cannot be found`)
  }
  const owner = String(group.owner_id)
  const wanted = new Set(memberIds.map(String))
  const { names, owner: former } = await provider.listMembers(id)
  const present = new Set(names)
  // Removes former members before adding new members. Otherwise the group could exceed its member limit.
  await remove(
    provider,
    id,
    names.filter((name) => !wanted.has(name) && name !== former),
  )
  if (!sameSettings(found.settings, provider.settingsHeld(settings))) await provider.updateGroup(id, settings)
  if (!present.has(owner)) await add(provider, id, [owner])
  if (former !== owner) {
    await provider.transferOwner(id, owner)
    if (former !== null && !wanted.has(former)) await remove(provider, id, [former])
  }
  await add(
    provider,
    id,
    [...wanted].filter((name) => !present.has(name) && name !== owner),
  )
  await announce(ctx, provider, group.id, id)
}

async function requireAccounts(ctx: Context, ids: number[]): Promise<void> {
  if ((await listUnconfirmed(ctx, ids)).length === 0) return
  await ensureAccounts(ctx, ctx.sql, ids)
  await syncAccounts(ctx, await listUnconfirmed(ctx, ids))
  const left = await listUnconfirmed(ctx, ids)
  if (left.length > 0) throw new ImError('unavailable', `account ${left[0]} is not registered yet`)
}

const add = (provider: ImProvider, id: string, names: string[]) =>
  inParts(provider, names, (some) => provider.addMembers(id, some))
const remove = (provider: ImProvider, id: string, names: string[]) =>
  inParts(provider, names, (some) => provider.removeMembers(id, some))

async function inParts(provider: ImProvider, names: string[], work: (some: string[]) => Promise<Outcomes>) {
  const size = provider.capabilities.membersAtOnce
  for (let from = 0; from < names.length; from += size)
    for (const outcome of (await work(names.slice(from, from + size))).values())
      if (outcome instanceof ImError) throw outcome
}

const TEXTS: Record<string, string> = {
  ts_group_create: 'The group was created.',
  ts_group_change: 'The group was changed.',
  ts_user_join: 'New members joined.',
  ts_user_exit: 'Members left.',
}

/** Sends the group's waiting announcements in order. Drops those that the provider rejects permanently. */
async function announce(ctx: Context, provider: ImProvider, groupId: number, id: string): Promise<void> {
  for (;;) {
    const waiting = await listAnnouncements(ctx.sql, groupId)
    if (waiting.length === 0) return
    for (const { id: messageId, ext } of waiting) {
      const type = String(ext.type)
      try {
        if (provider.capabilities.announcements)
          await provider.sendSystem(id, {
            id: messageId,
            text: TEXTS[type] ?? type,
            // Adds the provider's group id, which may have been unknown when the announcement was stored.
            ext: type.startsWith('ts_group') ? { ...ext, group_id: id } : ext,
          })
      } catch (error) {
        if (!(error instanceof ImError && (error.fault === 'invalid' || error.fault === 'not_found')))
          throw error
        ctx.log.warn({ err: error, group: groupId }, 'the provider rejected an announcement')
      }
      await deleteAnnouncement(ctx.sql, messageId)
    }
  }
}
