import { loginKind } from '#lib/identifiers.ts'
import { readSettings } from '#modules/settings/index.ts'
import { forgetTokens, revokeTokens } from '#modules/tokens/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { invalidField } from '#platform/errors.ts'
import type { CountAttempt, Payer, Viewer } from '#platform/http.ts'
import { addJob } from '#platform/jobs.ts'
import { hashPassword, verifyPassword } from '#platform/passwords.ts'
import { alertOwner } from '../alerts/service.ts'
import { accountOf, checkCode, useCode } from '../codes/service.ts'
import { wrongCode } from '../errors.ts'
import { limitAttempts } from '../limits.ts'
import { findAccount, holdAccount } from '../sign-in/queries.ts'
import {
  bothAccounts,
  paymentNeedsPassword,
  wrongOldPassword,
  wrongPassword,
  wrongPaymentPassword,
} from './errors.ts'
import { findPassword, saveDisabled, savePassword } from './queries.ts'
import type { PasswordChange, PasswordReset } from './schema.ts'

/**
 * Stores a new password, tells its owner and ends their sign-ins, except one to be kept, in the caller's transaction. Answers what
 * to give to `forgetTokens` after the commit, or null when the password is no longer the expected one.
 */
export async function setPassword(
  ctx: Context,
  tx: Db,
  userId: number,
  hashed: string,
  { expected, except = null }: { expected?: string | null; except?: string | null } = {},
): Promise<string[] | null> {
  if (!(await savePassword(tx, userId, hashed, expected))) return null
  await alertOwner(ctx, tx, userId, 'password')
  return revokeTokens(ctx, tx, userId, { except })
}

/** Disables an account, which ends its sign-ins, or enables it again; use like `setPassword`. Null: it was so already. */
export async function setDisabled(ctx: Context, tx: Db, userId: number, disabled: boolean) {
  if (!(await saveDisabled(tx, userId, disabled))) return null
  await addJob(tx, 'user_access_changed', { id: userId })
  return disabled ? revokeTokens(ctx, tx, userId) : []
}

/** Changes one's own password; every other sign-in ends. */
export async function changePassword(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { old_password: old, password, password_confirmation }: PasswordChange,
): Promise<void> {
  if (password !== password_confirmation)
    throw invalidField('password', { en: 'The two passwords differ.', zh: '两次输入的密码不一致。' })
  await countAttempt()
  const current = (await findPassword(ctx.sql, viewer.id)) ?? null
  if (current !== null) {
    if (old === undefined)
      throw invalidField('old_password', {
        en: 'The old_password field is required.',
        zh: 'old_password 不能为空。',
      })
    if (!(await verifyPassword(current, old))) throw wrongOldPassword()
    if (await verifyPassword(current, password))
      throw invalidField('password', {
        en: 'The new password is the old one.',
        zh: '新密码不能与旧密码相同。',
      })
  }
  const hashed = await hashPassword(password)
  const keys = await transaction(ctx.sql, (tx) =>
    setPassword(ctx, tx, viewer.id, hashed, { expected: current, except: viewer.family }),
  )
  if (!keys) throw wrongOldPassword()
  forgetTokens(ctx, keys)
}

/** Sets a new password with a code instead of the old one; every sign-in ends. */
export async function resetPassword(
  ctx: Context,
  countAttempt: CountAttempt,
  body: PasswordReset,
): Promise<void> {
  if (body.phone !== undefined && body.email !== undefined) throw bothAccounts()
  const account = accountOf(body)
  const user = await findAccount(ctx.sql, loginKind(account.key))
  await limitAttempts(ctx, countAttempt, account.key, user?.id)
  if (account.channel !== body.verifiable_type) throw wrongCode()
  await checkCode(ctx, account, 'user', body.verifiable_code)
  if (!user || user.disabled) throw wrongCode()
  const hashed = await hashPassword(body.password)
  const keys = await transaction(ctx.sql, async (tx) => {
    await useCode(ctx, tx, account, 'user', body.verifiable_code)
    if (!(await holdAccount(tx, user))) throw wrongCode()
    return setPassword(ctx, tx, user.id, hashed)
  })
  forgetTokens(ctx, keys ?? [])
}

/** 422 on `password` unless it is this person's. */
export async function checkOwnPassword(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  password: string,
): Promise<void> {
  await countAttempt()
  const current = (await findPassword(ctx.sql, userId)) ?? null
  if (!(await verifyPassword(current, password))) throw wrongPassword()
}

/**
 * The payment password (conventions-29): while the setting asks for it, 403 unless `password` is the sign-in password. Comes
 * before the body is validated and before any look at balances.
 */
export async function checkPaymentPassword(
  ctx: Context,
  { id, password, countAttempt }: Payer,
): Promise<void> {
  if (!(await readSettings(ctx))['pay-validate-user-password']) return
  await countAttempt()
  const current = (await findPassword(ctx.sql, id)) ?? null
  if (current === null) throw paymentNeedsPassword()
  const given = typeof password === 'string' && password.length <= 128 ? password : ''
  if (given === '' || !(await verifyPassword(current, given))) throw wrongPaymentPassword()
}
