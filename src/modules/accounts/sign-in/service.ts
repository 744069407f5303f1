import { type Login, loginKind } from '#lib/identifiers.ts'
import { findViewer, forgetTokens, type IssuedToken, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database.ts'
import { type ApiError, invalidField, unauthenticated } from '#platform/errors.ts'
import type { Device } from '#platform/http/device.ts'
import type { CountAttempt } from '#platform/http.ts'
import { hashPassword, isForeignHash, verifyPassword } from '#platform/passwords.ts'
import type { Account } from '../codes/schema.ts'
import { checkCode, storedAccount, useCode } from '../codes/service.ts'
import { limitAttempts } from '../limits.ts'
import { savePassword } from '../passwords/queries.ts'
import { accountWaiting } from '../requests/errors.ts'
import { isWaiting } from '../requests/queries.ts'
import { refuseSuspended } from '../sanctions/service.ts'
import { checkSecondFactor } from '../second-factor/service.ts'
import { openSession } from '../sessions/service.ts'
import { accountDisabled, wrongSignIn } from './errors.ts'
import { type AccountRow, findAccount, holdAccount } from './queries.ts'
import type { SignIn } from './schema.ts'

/** Somebody who proved who they are; `hold` keeps the account so until the transaction ends, and uses up a code. */
type Proven = { id: number; hold(tx: Tx): Promise<void> }

/** Finds out who somebody is by a password, or by a code sent to their phone or e-mail. */
export async function prove(
  ctx: Context,
  countAttempt: CountAttempt,
  { login, password, verifiable_code: code }: SignIn,
): Promise<Proven> {
  if (password === undefined && code === undefined)
    throw invalidField('password', { en: 'The password field is required.', zh: 'password 不能为空。' })
  const named = loginKind(login)
  const user = await findAccount(ctx.sql, named)
  await limitAttempts(ctx, countAttempt, `${named.value}`, user?.id)
  const account = code === undefined ? null : codeAccount(named)
  if (code !== undefined) {
    if (!account) throw wrongSignIn()
    await checkCode(ctx, account, 'user', code)
  } else if (!(await verifyPassword(user?.password ?? null, password as string))) throw wrongSignIn()
  if (!user) throw wrongSignIn()
  if (user.disabled) throw await whyDisabled(ctx.sql, user.id)
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
 * The same with the second factor, where there is one: for what somebody may do who is suspended and cannot sign in
 * (rights-1, rights-9).
 */
export async function proveOutside(ctx: Context, countAttempt: CountAttempt, input: SignIn): Promise<Proven> {
  const proven = await prove(ctx, countAttempt, input)
  await checkSecondFactor(ctx, proven.id, input.second_factor)
  return proven
}

/** Signs a person in who is not suspended. */
export async function signIn(
  ctx: Context,
  countAttempt: CountAttempt,
  input: SignIn,
  device: Device,
): Promise<IssuedToken> {
  const { id, hold } = await proveOutside(ctx, countAttempt, input)
  return transaction(ctx.sql, async (tx) => {
    await hold(tx)
    await refuseSuspended(tx, id)
    return openSession(ctx, tx, id, device)
  })
}

/** Why a disabled account does not sign in. */
export const whyDisabled = async (sql: Db, userId: number): Promise<ApiError> =>
  (await isWaiting(sql, userId)) ? accountWaiting() : accountDisabled()

/** Keeps a password that came from another product in our own form, now that somebody has typed it. */
async function renewHash(
  ctx: Context,
  named: Login,
  user: AccountRow,
  password: string,
): Promise<AccountRow> {
  if (user.password === null || !isForeignHash(user.password)) return user
  const renewed = await hashPassword(password)
  if (await savePassword(ctx.sql, user.id, renewed, user.password)) return { ...user, password: renewed }
  // Another sign-in was first, or the password was changed meanwhile.
  const now = await findAccount(ctx.sql, named)
  if (!now || now.id !== user.id || !(await verifyPassword(now.password, password))) throw wrongSignIn()
  return now
}

const codeAccount = ({ kind, value }: Login): Account | null =>
  kind === 'email' || kind === 'phone' ? storedAccount(kind, value) : null

/** Ends the sign-in that a token belongs to. */
export async function signOut(ctx: Context, token: string | undefined): Promise<void> {
  const viewer = token === undefined ? null : await findViewer(ctx, token)
  if (!viewer) throw unauthenticated()
  const keys = await transaction(ctx.sql, (tx) => revokeTokens(ctx, tx, viewer.id, { family: viewer.family }))
  forgetTokens(ctx, keys)
}
