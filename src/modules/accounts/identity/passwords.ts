import { loginKind } from '#lib/identifiers.ts'
import { alertAccountOwner } from '#modules/mail/index.ts'
import { invalidateSenderName } from '#modules/notifications/index.ts'
import { isFreshSignIn, revokeTokens, revokeTokensOf } from '#modules/tokens/index.ts'
import { enqueueSettling } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Tx, transaction } from '#platform/database'
import { invalidField } from '#platform/errors.ts'
import {
  attemptCounter,
  type CountAttempt,
  Empty,
  ownAttemptCounter,
  type Payer,
  routesOn,
  type Server,
  type Viewer,
} from '#platform/http'
import { addJobs } from '#platform/jobs'
import { readAccountSettings } from '../settings.ts'
import { accountOf, checkCode, limitAttempts, useCode } from './codes.ts'
import { hashPassword, verifyPassword } from './hashing.ts'
import { verifyPasswordOrCode } from './owner.ts'
import { findPassword, saveDisabled, savePassword } from './queries.ts'
import {
  bothAccounts,
  PasswordChange,
  PasswordReset,
  paymentNeedsPassword,
  proofOfFirst,
  signInAgain,
  wrongCode,
  wrongOldPassword,
  wrongPaymentPassword,
} from './schema.ts'
import { findAccount, holdAccount } from './sign-in.ts'

/**
 * Sets the password and revokes all sessions but `except`. Returns false if the current password differs from
 * `expected`.
 */
export async function setPassword(
  ctx: Context,
  tx: Db,
  userId: number,
  hashed: string,
  { expected, except = null }: { expected?: string | null; except?: string | null } = {},
): Promise<boolean> {
  if (!(await savePassword(tx, userId, hashed, expected))) return false
  await alertAccountOwner(ctx, tx, userId, 'password')
  await revokeTokens(ctx, tx, userId, { except })
  return true
}

/** Deletes a user's links to external accounts. Injected by `linked-accounts`. */
export type DeleteLinks = (ctx: Context, tx: Tx, userId: number) => Promise<unknown>

/** Returns the accounts that were not in this state. */
export async function setAccountsDisabled(
  ctx: Context,
  tx: Db,
  userIds: readonly number[],
  disabled: boolean,
): Promise<number[]> {
  const changed = await saveDisabled(tx, userIds, disabled)
  if (changed.length === 0) return changed
  await invalidateSenderName(ctx, tx, ...changed)
  await addJobs(
    tx,
    'user_access_changed',
    changed.map((id) => ({ id })),
  )
  if (disabled) await revokeTokensOf(ctx, tx, changed)
  await enqueueSettling(tx, changed)
  return changed
}

export const setAccountDisabled = async (
  ctx: Context,
  tx: Db,
  userId: number,
  disabled: boolean,
): Promise<boolean> => (await setAccountsDisabled(ctx, tx, [userId], disabled)).length === 1

async function changePassword(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  {
    old_password: old,
    password,
    password_confirmation,
    verifiable_code: code,
    unlink_accounts,
  }: PasswordChange,
  deleteLinks: DeleteLinks,
): Promise<void> {
  if (password !== password_confirmation)
    throw invalidField('password', { en: 'The two passwords differ.', zh: '两次输入的密码不一致。' })
  await countAttempt()
  const current = (await findPassword(ctx.sql, viewer.id)) ?? null
  if (current !== null) {
    if (old === undefined)
      throw invalidField('old_password', {
        en: 'The old_password field is required.',
        zh: '原密码不能为空。',
      })
    if (!(await verifyPassword(current, old))) throw wrongOldPassword()
    if (await verifyPassword(current, password))
      throw invalidField('password', {
        en: 'The new password must differ from the old one.',
        zh: '新密码不能与旧密码相同。',
      })
  }
  const proof = current === null ? await proveFirst(ctx, countAttempt, viewer, code) : undefined
  const hashed = await hashPassword(password)
  const isSet = await transaction(ctx.sql, async (tx) => {
    if (proof) await useCode(ctx, tx, proof, 'user', code as number)
    if (unlink_accounts) await deleteLinks(ctx, tx, viewer.id)
    return setPassword(ctx, tx, viewer.id, hashed, { expected: current, except: viewer.family })
  })
  if (!isSet) throw wrongOldPassword()
}

/** Requires a code or a recent sign-in as proof of ownership before a user sets a first password. */
async function proveFirst(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  code: number | undefined,
) {
  if (code === undefined && (await isFreshSignIn(ctx.sql, viewer))) return undefined
  const refusals = { missing: proofOfFirst, wrong: wrongCode }
  return verifyPasswordOrCode(ctx, countAttempt, viewer, { password: undefined, code }, refusals)
}

async function resetPassword(
  ctx: Context,
  countAttempt: CountAttempt,
  body: PasswordReset,
  deleteLinks: DeleteLinks,
): Promise<void> {
  if (body.phone !== undefined && body.email !== undefined) throw bothAccounts()
  const account = accountOf(body)
  const user = await findAccount(ctx.sql, loginKind(account.key))
  await limitAttempts(ctx, countAttempt, account.key, user?.id)
  if (account.channel !== body.verifiable_type) throw wrongCode()
  await checkCode(ctx, account, 'user', body.verifiable_code)
  if (!user || user.disabled) throw wrongCode()
  const hashed = await hashPassword(body.password)
  await transaction(ctx.sql, async (tx) => {
    await useCode(ctx, tx, account, 'user', body.verifiable_code)
    if (!(await holdAccount(tx, user))) throw wrongCode()
    if (body.unlink_accounts) await deleteLinks(ctx, tx, user.id)
    await setPassword(ctx, tx, user.id, hashed)
  })
}

/** Throws 403 for a wrong password, if a setting requires the password for payments (conventions-29). */
export async function checkPaymentPassword(
  ctx: Context,
  { id, password, countAttempt }: Payer,
): Promise<void> {
  if (!(await readAccountSettings(ctx))['pay-validate-user-password']) return
  await countAttempt()
  const current = (await findPassword(ctx.sql, id)) ?? null
  if (current === null) throw paymentNeedsPassword()
  const given = typeof password === 'string' && password.length <= 128 ? password : ''
  if (given === '' || !(await verifyPassword(current, given))) throw wrongPaymentPassword()
}

export const passwordRoutes = (deleteLinks: DeleteLinks) => (server: Server, ctx: Context) => {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  route('PUT /user/password', {
    operationId: 'changePassword',
    summary: 'Change my password, or set the first one',
    tag: 'Me',
    whileSilenced: true,
    access: 'user',
    body: PasswordChange,
    reply: { 204: Empty },
    errors: [wrongOldPassword, proofOfFirst, wrongCode, signInAgain],
    handler: (call) => changePassword(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body, deleteLinks),
  })

  route('PUT /user/retrieve-password', {
    operationId: 'resetPassword',
    summary: 'Set a new password with a code',
    access: 'public',
    body: PasswordReset,
    reply: { 204: Empty },
    errors: [bothAccounts, wrongCode],
    handler: (call) => resetPassword(ctx, attemptCounter(ctx, call), call.body, deleteLinks),
  })
}
