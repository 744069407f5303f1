import { deviceName, deviceOf } from '#lib/device-name.ts'
import { wireTime } from '#lib/time.ts'
import { beyondOwnAbilities, findExcessAbilities } from '#modules/abilities/index.ts'
import { type Actor, recordAudit } from '#modules/audit/index.ts'
import { messageUser, notifyAccountChanged } from '#modules/mail/index.ts'
import {
  type IssuedToken,
  isNewDevice,
  issueToken,
  listSignIns,
  revokeTokens,
} from '#modules/tokens/index.ts'
import { accountExists, UserParams } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { apiError, notFound } from '#platform/errors.ts'
import {
  type Device,
  Empty,
  Nullable,
  routesOn,
  type Server,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/http'
import { cancelDeletionAtSignIn } from '../deletion/service.ts'
import { readAccountSettings } from '../settings.ts'

const noSuchSession = apiError(404, 'no_such_session', 'This session does not exist.', '该登录设备不存在。')

const Session = Shared('Session', {
  id: Type.String(),
  device: Nullable(Type.String({ description: 'User agent; null for older sessions' })),
  browser: Nullable(Type.String({ description: 'Name of the browser or app, such as `Firefox`' })),
  system: Nullable(Type.String({ description: 'Name of the operating system, such as `Windows`' })),
  place: Nullable(Type.String({ description: 'Network of the last request' })),
  current: Type.Boolean({ description: 'True for the session of this request' }),
  created_at: Time,
  used_at: Time,
})
type Session = Static<typeof Session>

const SessionParams = Type.Object({
  session: Text(36, { pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
})

async function alertOfSignIn(
  ctx: Context,
  tx: Tx,
  userId: number,
  { userAgent, network }: Device,
): Promise<void> {
  const device = deviceName(deviceOf(userAgent))
  await messageUser(ctx, tx, userId, {
    mail: 'sign-in',
    values: { device, network: network ?? '' },
    page: 'sessions',
    mailOnly: true,
  })
  await notifyAccountChanged(tx, userId, 'sign-in')
}

/**
 * Issues a token. Callers must lock the account. Otherwise a concurrent suspension or erasure would not revoke the
 * new session.
 */
export async function openSession(
  ctx: Context,
  tx: Tx,
  userId: number,
  device: Device,
): Promise<IssuedToken> {
  await cancelDeletionAtSignIn(ctx, tx, userId)
  const { 'account:sign-in-notices': tells } = await readAccountSettings(ctx)
  if (tells && (await isNewDevice(tx, userId, device))) await alertOfSignIn(ctx, tx, userId, device)
  return issueToken(tx, userId, { device })
}

const sessionsOf = async (ctx: Context, userId: number, current: string): Promise<Session[]> =>
  (await listSignIns(ctx.sql, userId)).map((row) => ({
    id: row.id,
    device: row.user_agent,
    ...deviceOf(row.user_agent ?? ''),
    place: row.network,
    current: row.id === current,
    created_at: wireTime(row.created_at),
    used_at: wireTime(row.used_at),
  }))

async function tellSignOut(ctx: Context, tx: Tx, userId: number): Promise<void> {
  await messageUser(ctx, tx, userId, {
    mail: 'signed-out',
    mailOnly: true,
  })
  await notifyAccountChanged(tx, userId, 'sign-outs')
}

/**
 * Ends the given session of a user, or all sessions. Administrators who end all of their own sessions stay
 * signed in to the current one (administration-22).
 */
async function signOut(
  ctx: Context,
  actor: Actor & { viewer: { family: string } },
  userId: number,
  session?: string,
): Promise<void> {
  const ended = (await listSignIns(ctx.sql, userId)).filter(({ id }) =>
    session === undefined ? id !== actor.viewer.family : id === session,
  )
  if (session !== undefined && ended.length === 0) throw noSuchSession()
  if (ended.length === 0) return
  await transaction(ctx.sql, async (tx) => {
    await revokeTokens(
      ctx,
      tx,
      userId,
      session === undefined ? { except: actor.viewer.family } : { family: session },
    )
    await tellSignOut(ctx, tx, userId)
    await recordAudit(tx, actor, {
      action: 'users.sign-out',
      subjectType: 'users',
      subjectId: userId,
      before: { sessions: ended.map(({ user_agent, network }) => ({ device: user_agent, place: network })) },
    })
  })
}

export function sessionRoutes(server: Server, ctx: Context) {
  const { sql } = ctx
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/sessions', {
    operationId: 'listSessions',
    summary: 'List my sessions, last used first',
    access: 'user',
    reply: { 200: Type.Array(Session) },
    handler: ({ viewer }) => sessionsOf(ctx, viewer.id, viewer.family),
  })

  route('DELETE /user/sessions', {
    operationId: 'endOtherSessions',
    summary: 'End all my other sessions',
    access: 'user',
    whileSilenced: true,
    reply: { 204: Empty },
    handler: async ({ viewer }) => {
      await transaction(sql, (tx) => revokeTokens(ctx, tx, viewer.id, { except: viewer.family }))
    },
  })

  route('DELETE /user/sessions/:session', {
    operationId: 'endSession',
    summary: 'End a session of mine',
    access: 'user',
    whileSilenced: true,
    params: SessionParams,
    reply: { 204: Empty },
    errors: [noSuchSession],
    handler: async ({ viewer, params }) => {
      const family = params.session.toLowerCase()
      const known = await listSignIns(sql, viewer.id)
      if (!known.some(({ id }) => id === family)) throw noSuchSession()
      await transaction(sql, (tx) => revokeTokens(ctx, tx, viewer.id, { family }))
    },
  })
}

export function adminSessionRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Admin: people' })
  const access = { ability: 'admin:user:update' }
  const load = async ({ params, viewer }: { params: { user: number }; viewer: { id: number } }) => {
    if (!(await accountExists(ctx.sql, params.user))) throw notFound()
    if (params.user !== viewer.id && (await findExcessAbilities(ctx.sql, params.user, viewer.id)).length > 0)
      throw beyondOwnAbilities()
  }

  route('GET /admin/users/:user/sessions', {
    operationId: 'adminListSessions',
    summary: 'List the sessions of a person, last used first',
    access,
    params: UserParams,
    reply: { 200: Type.Array(Session) },
    errors: [beyondOwnAbilities],
    load,
    handler: ({ params, viewer }) => sessionsOf(ctx, params.user, viewer.family),
  })

  route('DELETE /admin/users/:user/sessions', {
    operationId: 'adminEndSessions',
    summary: 'End all sessions of a person, with notification',
    access,
    params: UserParams,
    reply: { 204: Empty },
    errors: [beyondOwnAbilities],
    load,
    handler: (call) => signOut(ctx, call, call.params.user),
  })

  route('DELETE /admin/users/:user/sessions/:session', {
    operationId: 'adminEndSession',
    summary: 'End one session of a person, with notification',
    access,
    params: Type.Object({ ...UserParams.properties, ...SessionParams.properties }),
    reply: { 204: Empty },
    errors: [beyondOwnAbilities, noSuchSession],
    load,
    handler: (call) => signOut(ctx, call, call.params.user, call.params.session.toLowerCase()),
  })
}
