import type { FastifyRequest } from 'fastify'
import { type Login, loginKind } from '#lib/identifiers.ts'
import { nameKey } from '#lib/text.ts'
import { accountSuspended, requireNotSuspended } from '#modules/sanctions/index.ts'
import { findViewer, type IssuedToken, refreshToken, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import { type ApiError, invalidField, unauthenticated } from '#platform/errors.ts'
import {
  attemptCounter,
  bearerToken,
  type CountAttempt,
  type Device,
  deviceOf,
  localizedMessage,
  routesOn,
  type Server,
} from '#platform/http'
import { isWaiting } from '../requests.ts'
import { checkCode, limitAttempts, storedAccount, useCode } from './codes.ts'
import { hashPassword, isForeignHash, verifyPassword } from './hashing.ts'
import { savePassword } from './queries.ts'
import {
  type Account,
  accountDisabled,
  accountWaiting,
  FACTOR_ERRORS,
  SignedOut,
  SignIn,
  TokenInput,
  TokenView,
  wrongCode,
  wrongSignIn,
} from './schema.ts'
import { checkSecondFactor } from './second-factor.ts'
import { openSession } from './sessions.ts'

type AccountRow = Row<'users', 'id' | 'name' | 'password' | 'email' | 'phone'> & { disabled: boolean }

export async function findAccount(sql: Db, { kind, value }: Login): Promise<AccountRow | undefined> {
  const condition = {
    email: () => sql`email_key = ${value}`,
    phone: () => sql`phone = ${value}`,
    name: () => sql`name_key = ${nameKey(String(value))}`,
    id: () => sql`id = ${value}`,
  }[kind]()
  const [row] = await sql<AccountRow[]>`
    select id, name, password, email, phone, deleted_at is not null as disabled from users where ${condition}`
  return row
}

/**
 * Locks the account, so that a concurrent password change waits for the new session and then revokes it.
 * Returns false if the account was disabled or its password changed.
 */
export async function holdAccount(tx: Tx, { id, password }: AccountRow): Promise<boolean> {
  const rows = await tx`
    select 1 from users
    where id = ${id} and deleted_at is null and password is not distinct from ${password} for share`
  return rows.length === 1
}

/** `hold` locks the account and consumes the sign-in code, in the given transaction. */
type Proven = { id: number; hold(tx: Tx): Promise<void> }

async function prove(
  ctx: Context,
  countAttempt: CountAttempt,
  { login, password, verifiable_code: code }: SignIn,
): Promise<Proven> {
  if (password === undefined && code === undefined)
    throw invalidField('password', { en: 'The password field is required.', zh: '密码不能为空。' })
  const named = loginKind(login)
  const user = await findAccount(ctx.sql, named)
  await limitAttempts(ctx, countAttempt, `${named.value}`, user?.id)
  const account = code === undefined ? null : codeAccount(named)
  if (code !== undefined) {
    if (!account) throw wrongSignIn()
    await checkCode(ctx, account, 'user', code)
  } else if (!(await verifyPassword(user?.password ?? null, password as string))) throw wrongSignIn()
  if (!user) throw wrongSignIn()
  if (user.disabled) throw await disabledError(ctx.sql, user.id)
  const kept = code === undefined ? await renewHash(ctx, named, user, password as string) : user
  return {
    id: kept.id,
    async hold(tx) {
      if (account && code !== undefined) await useCode(ctx, tx, account, 'user', code)
      if (!(await holdAccount(tx, kept))) throw wrongSignIn()
    },
  }
}

/**
 * Verifies the credentials and the second factor without opening a session, because a suspended user cannot
 * sign in (rights-1, rights-9).
 */
export async function proveOutside(ctx: Context, countAttempt: CountAttempt, input: SignIn): Promise<Proven> {
  const proven = await prove(ctx, countAttempt, input)
  await checkSecondFactor(ctx, proven.id, input.second_factor)
  return proven
}

/**
 * `prepare` runs after the verification of the credentials. The function that it returns runs in the transaction that
 * opens the session.
 */
export async function signIn(
  ctx: Context,
  countAttempt: CountAttempt,
  input: SignIn,
  device: Device,
  prepare?: (userId: number) => Promise<(tx: Tx) => Promise<void>>,
): Promise<IssuedToken> {
  const { id, hold } = await proveOutside(ctx, countAttempt, input)
  const complete = await prepare?.(id)
  return transaction(ctx.sql, async (tx) => {
    await hold(tx)
    await requireNotSuspended(tx, id)
    await complete?.(tx)
    return openSession(ctx, tx, id, device)
  })
}

export const disabledError = async (sql: Db, userId: number): Promise<ApiError> =>
  (await isWaiting(sql, userId)) ? accountWaiting() : accountDisabled()

/** Rehashes the password of an imported account in Kith's own format at the first sign-in. */
async function renewHash(
  ctx: Context,
  named: Login,
  user: AccountRow,
  password: string,
): Promise<AccountRow> {
  if (user.password === null || !isForeignHash(user.password)) return user
  const renewed = await hashPassword(password)
  if (await savePassword(ctx.sql, user.id, renewed, user.password)) return { ...user, password: renewed }
  // A concurrent sign-in or password change has replaced the password hash.
  const now = await findAccount(ctx.sql, named)
  if (!now || now.id !== user.id || !(await verifyPassword(now.password, password))) throw wrongSignIn()
  return now
}

const codeAccount = ({ kind, value }: Login): Account | null =>
  kind === 'email' || kind === 'phone' ? storedAccount(kind, value) : null

async function signOut(ctx: Context, token: string | undefined): Promise<void> {
  const viewer = token === undefined ? null : await findViewer(ctx, token)
  if (!viewer) throw unauthenticated()
  await transaction(ctx.sql, (tx) =>
    revokeTokens(ctx, tx, viewer.id, { family: viewer.family, keepsChat: true }),
  )
}

/** Reads the token from the request, because a request with an expired token has no viewer (sign-in-5). */
const presented = (request: FastifyRequest): string | undefined =>
  bearerToken(request) ?? (request.body as { token?: string } | undefined)?.token

export function signInRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('POST /auth/login', {
    operationId: 'signIn',
    summary: 'Sign in with a password or a code',
    access: 'public',
    body: SignIn,
    example: { login: 'root', password: 'the password' },
    reply: { 200: TokenView },
    errors: [wrongSignIn, wrongCode, accountDisabled, accountWaiting, ...FACTOR_ERRORS, accountSuspended],
    handler: (call) => signIn(ctx, attemptCounter(ctx, call), call.body, deviceOf(call.request)),
  })

  // Existing clients call sign-out and refresh with any HTTP method (sign-in-5).
  for (const [verb, name] of [
    ['GET', 'ByGet'],
    ['POST', ''],
    ['PUT', 'ByPut'],
    ['PATCH', 'ByPatch'],
    ['DELETE', 'ByDelete'],
  ] as const) {
    const input = {
      ...(verb === 'GET' ? { query: TokenInput } : { body: TokenInput }),
    }
    route(`${verb} /auth/refresh`, {
      ...input,
      operationId: `refreshToken${name}`,
      ...(name === '' ? {} : { aliasOf: 'refreshToken' }),
      summary: 'Exchange a token, expired or not, for a new one',
      access: 'public',
      reply: { 200: TokenView },
      errors: [unauthenticated],
      handler: ({ uncached }) => {
        const { request } = uncached()
        const token = presented(request)
        if (token === undefined) throw unauthenticated()
        return refreshToken(ctx, token, deviceOf(request))
      },
    })
    route(`${verb} /auth/logout`, {
      ...input,
      operationId: `signOut${name}`,
      ...(name === '' ? {} : { aliasOf: 'signOut' }),
      summary: 'Sign out',
      access: 'public',
      reply: { 200: SignedOut },
      errors: [unauthenticated],
      handler: async ({ uncached }) => {
        const { request } = uncached()
        await signOut(ctx, presented(request))
        return { message: localizedMessage(request, 'Signed out.', '已退出登录。').message[0] ?? '' }
      },
    })
  }
}
