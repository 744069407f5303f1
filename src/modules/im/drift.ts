import { cutText } from '#lib/text.ts'
import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import { Nullable, routesOn, type Server, Shared, Time, Type } from '#platform/http'
import { countUnregistered, listAccounts, listWaitingAccounts, markWaiting } from './accounts/queries.ts'
import { findLastRegistration, type Registration, syncAccounts } from './accounts/service.ts'
import { imProvider } from './providers/choose.ts'
import { type GroupSettings, sameSettings } from './providers/provider.ts'
import {
  addSync,
  type Backlog,
  countBacklog,
  listAwaitingGroups,
  listConfirmedGroups,
  listMemberIds,
  listWaitingGroups,
  markDrifted,
  moveToProvider,
  saveAdopted,
} from './sync/queries.ts'
import { settingsOf } from './sync/service.ts'

const AT_ONCE = 1000

/** Repeats syncs whose job was lost in a crash, and starts syncs with a newly configured provider. */
export async function sweep(ctx: Context): Promise<void> {
  await moveToProvider(ctx.sql, imProvider(ctx).name, ctx.config.im.isChosen)
  await adoptGroups(ctx)
  for (const id of await listWaitingGroups(ctx.sql, AT_ONCE)) await addSync(ctx.sql, 'im_group', id, 0)
  await syncAccounts(ctx, await listWaitingAccounts(ctx.sql, AT_ONCE))
}

type ImDrift = { group: number; difference: string }

/**
 * Reads the names, settings and members of imported groups from the provider, before the server changes these groups
 * there. Leaves a group that the provider lacks as it is, because the configured application may be the wrong one.
 */
async function adoptGroups(ctx: Context): Promise<void> {
  const provider = imProvider(ctx)
  const atOnce = provider.capabilities.groupsAtOnce
  for (let last = 0; ; ) {
    const rows = await listAwaitingGroups(ctx.sql, { last, limit: atOnce, provider: provider.name })
    if (rows.length === 0) return
    last = rows.at(-1)?.id as number
    const there = await provider.getGroups(rows.map((row) => row.provider_id))
    for (const row of rows) {
      const group = there.get(row.provider_id)
      if (!group) continue
      const { owner, names } = await provider.listMembers(row.provider_id)
      await saveAdopted(ctx.sql, row, {
        settings: withinLimits(group.settings),
        owner: userIn(owner) ?? 0,
        members: names.flatMap((name) => userIn(name) ?? []),
      })
    }
  }
}

/** Account names at the provider are ids of users. */
const userIn = (name: string | null) =>
  name !== null && /^[1-9]\d{0,14}$/.test(name) ? Number(name) : undefined

const withinLimits = (settings: GroupSettings): GroupSettings => ({
  ...settings,
  name: cutText(settings.name, 128),
  description: cutText(settings.description, 512),
  maxUsers: Math.min(Math.max(settings.maxUsers, 2), 2000),
})

/** Calls `found` for each confirmed group that differs from the provider's copy, with the first difference. */
async function compareGroups(
  ctx: Context,
  found: (drift: ImDrift, version: number) => Promise<void>,
): Promise<void> {
  const provider = imProvider(ctx)
  for (let last = 0; ; ) {
    const rows = await listConfirmedGroups(ctx.sql, last, provider.name, provider.capabilities.groupsAtOnce)
    if (rows.length === 0) return
    last = rows.at(-1)?.id as number
    const there = await provider.getGroups(rows.map((row) => row.provider_id))
    for (const row of rows) {
      const group = there.get(row.provider_id)
      const tell = (difference: string) => found({ group: row.id, difference }, row.version)
      if (!group) {
        await tell('is missing')
        continue
      }
      if (!sameSettings(group.settings, provider.settingsHeld(settingsOf(row)))) {
        await tell('has other settings')
        continue
      }
      const { owner, names } = await provider.listMembers(row.provider_id)
      const wanted = new Set((await listMemberIds(ctx.sql, row.id)).map(String))
      if (owner !== String(row.owner_id)) await tell('has another owner')
      else if (names.length !== wanted.size || names.some((name) => !wanted.has(name)))
        await tell('has other members')
    }
  }
}

async function restoreAccounts(ctx: Context): Promise<number> {
  const provider = imProvider(ctx)
  let restored = 0
  for (let last = 0; ; ) {
    const rows = await listAccounts(ctx.sql, last, provider.name, provider.capabilities.usersAtOnce)
    if (rows.length === 0) return restored
    last = rows.at(-1)?.user_id as number
    const outcomes = await provider.ensureUsers(
      rows.map(({ user_id, password }) => ({ name: String(user_id), password: ctx.secrets.open(password) })),
    )
    for (const outcome of outcomes.values()) if (outcome === 'done') restored += 1
    const wrong = rows.filter(
      ({ user_id, locked, disabled }) =>
        locked !== disabled || (disabled && outcomes.get(String(user_id)) === 'done'),
    )
    if (wrong.length === 0) continue
    const ids = wrong.map(({ user_id }) => user_id)
    await markWaiting(ctx.sql, ids)
    await syncAccounts(ctx, ids)
  }
}

/** Lists imported groups whose names and members Kith does not have yet. */
async function findAwaiting(ctx: Context): Promise<ImDrift[]> {
  const { name, capabilities } = imProvider(ctx)
  const found: ImDrift[] = []
  for (let last = 0; ; ) {
    const rows = await listAwaitingGroups(ctx.sql, { last, limit: capabilities.groupsAtOnce })
    if (rows.length === 0) return found
    last = rows.at(-1)?.id as number
    for (const { id, provider, provider_id } of rows)
      found.push({
        group: id,
        difference:
          provider === name
            ? `waits for its name and members: ${name} has no group ${provider_id}, or the server has not asked yet`
            : `waits for IM_PROVIDER=${provider}, which has its name and members`,
      })
  }
}

export async function reconcile(ctx: Context): Promise<{ restored: number; drift: ImDrift[] }> {
  await sweep(ctx)
  const restored = await restoreAccounts(ctx)
  const drift: ImDrift[] = []
  await compareGroups(ctx, async (each, version) => {
    drift.push(each)
    await markDrifted(ctx.sql, each.group, version)
    await addSync(ctx.sql, 'im_group', each.group, 0)
  })
  if (restored > 0 || drift.length > 0)
    ctx.log.warn({ restored, drift: drift.slice(0, 100) }, 'repaired drift at the instant-messaging provider')
  return { restored, drift: [...drift, ...(await findAwaiting(ctx))] }
}

export const checkImProvider = (ctx: Context): Promise<void> => imProvider(ctx).health()

export async function findImState(ctx: Context): Promise<
  Backlog & {
    provider: string
    fault: string | null
    unregistered: number
    registration: Registration | null
  }
> {
  const provider = imProvider(ctx)
  const [fault, backlog, unregistered, registration] = await Promise.all([
    provider.health().then(
      () => null,
      (error: Error) => error.message,
    ),
    countBacklog(ctx.sql),
    countUnregistered(ctx.sql, provider.name),
    findLastRegistration(ctx.sql),
  ])
  return { provider: provider.name, fault, ...backlog, unregistered, registration: registration ?? null }
}

export async function findDrift(ctx: Context): Promise<ImDrift[]> {
  const drift = await findAwaiting(ctx)
  await compareGroups(ctx, async (each) => void drift.push(each))
  return drift
}

const RegistrationView = Shared('ImRegistration', {
  id: Type.Integer(),
  user_id: Type.Integer({ description: 'User who requested it' }),
  total: Type.Integer(),
  done: Type.Integer(),
  last_error: Nullable(Type.String()),
  created_at: Time,
  finished_at: Nullable(Time),
})

const ImState = Shared('ImState', {
  provider: Type.String(),
  healthy: Type.Boolean(),
  fault: Nullable(Type.String()),
  accounts: Type.Integer(),
  waiting_accounts: Type.Integer(),
  unregistered: Type.Integer({ description: 'People without a confirmed account' }),
  groups: Type.Integer(),
  waiting_groups: Type.Integer(),
  last_error: Nullable(Type.String()),
  registration: Nullable(RegistrationView),
})

const registrationView = ({ last_user_id: _, ...row }: Registration) => ({
  ...row,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
})

export function adminImRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: messaging' })

  route('GET /admin/im', {
    operationId: 'adminGetImState',
    summary: 'Read the state of the chat provider, its backlog and the last bulk registration',
    access: { ability: 'im: manage' },
    reply: { 200: ImState },
    handler: async () => {
      const { registration, fault, ...state } = await findImState(ctx)
      return {
        ...state,
        healthy: fault === null,
        fault,
        registration: registration ? registrationView(registration) : null,
      }
    },
  })
}
