import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { readSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import { type Tx, transaction } from '#platform/database'
import { tooManyRequests } from '#platform/errors.ts'
import type { CountAttempt, Viewer } from '#platform/http'
import { findContacts } from '../alerts/service.ts'
import { useCode } from '../codes/service.ts'
import { enqueueMessage } from '../messages/service.ts'
import { verifyPasswordOrCode } from '../owner-proof/owner.ts'
import type { OwnerProof } from '../owner-proof/schema.ts'
import { proofMissing, wrongProof } from '../owner-proof/schema.ts'
import {
  confirmFactor,
  countAttemptOn,
  deleteFactor,
  type FactorRow,
  findFactor,
  findLabel,
  hasFactor,
  saveRecoveryCodes,
  saveSecret,
  takeRecoveryCode,
  takeStep,
} from './queries.ts'
import { factorOff, factorOn, factorRequired, wrongFactor } from './schema.ts'

const PERIOD = 30
/** Tolerates one step of clock skew in each direction. */
const WINDOW = 1
const FAILURES_MAX = 10
const RECOVERY_CODES = 10
/** Omits look-alike characters. Ten characters give 48 bits. */
const LETTERS = '23456789abcdefghjkmnpqrstwxyz'

const totpOf = (secret: Secret, label = '') =>
  new TOTP({ issuer: 'Kith', label, secret, period: PERIOD, digits: 6, algorithm: 'SHA1' })

const hashOf = ({ secrets }: Context, userId: number, code: string) =>
  secrets.sign(`recovery code ${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`)

/** Verifies and consumes a code of a user. */
async function takeCode(ctx: Context, userId: number, { secret }: FactorRow, code: string): Promise<boolean> {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(ctx.sql, userId, hashOf(ctx, userId, code))
  const totp = totpOf(Secret.fromBase32(ctx.secrets.open(secret)))
  const timestamp = Date.now()
  const delta = totp.validate({ token: digits, window: WINDOW, timestamp })
  return delta !== null && takeStep(ctx.sql, userId, Math.floor(timestamp / 1000 / PERIOD) + delta)
}

/** Throws 422 unless the code is valid, and 429 after too many attempts in an hour. */
async function checkCode(ctx: Context, userId: number, factor: FactorRow, code: string): Promise<void> {
  if (!(await countAttemptOn(ctx.sql, userId, FAILURES_MAX)))
    throw tooManyRequests({ headers: { 'Retry-After': 3600 } })
  if (!(await takeCode(ctx, userId, factor, code))) throw wrongFactor()
}

/** Verifies the second factor at sign-in, if there is one, after the first factor (rights-7). */
export async function checkSecondFactor(
  ctx: Context,
  userId: number,
  code: string | undefined,
): Promise<void> {
  const factor = await findFactor(ctx.sql, userId)
  if (!factor?.confirmed) return
  if (code === undefined) throw factorRequired()
  await checkCode(ctx, userId, factor, code)
}

const TEXTS = {
  on: '您的账号已开启两步验证。 Signing in to your account takes a second factor from now on.',
  off: '您的账号已关闭两步验证。如非本人操作，请立即修改密码。 Signing in to your account takes no second factor any more. If it was not you, change your password.',
  codes:
    '您账号的恢复码已更换。如非本人操作，请立即修改密码。 The recovery codes of your account were replaced. If it was not you, change your password.',
}

async function tell(ctx: Context, tx: Tx, userId: number, state: keyof typeof TEXTS): Promise<void> {
  const contacts = await findContacts(tx, userId)
  if (contacts)
    await enqueueMessage(ctx, tx, contacts, {
      subject: '两步验证 Second factor',
      text: TEXTS[state],
      page: 'security',
    })
}

/** Creates a secret for an app after proof of ownership. A code has to confirm it. */
export async function prepareFactor(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { password, verifiable_code: code }: OwnerProof,
) {
  const refusals = { missing: proofMissing, wrong: wrongProof }
  const proof = await verifyPasswordOrCode(ctx, countAttempt, viewer, { password, code }, refusals)
  const secret = new Secret({ size: 20 })
  // The app shows the label beside the code, so that users tell their accounts apart.
  const label = await findLabel(ctx.sql, viewer.id)
  await transaction(ctx.sql, async (tx) => {
    if (proof) await useCode(ctx, tx, proof, 'user', code as number)
    if (!(await saveSecret(tx, viewer.id, ctx.secrets.seal(secret.base32)))) throw factorOn()
  })
  return { secret: secret.base32, uri: totpOf(secret, label).toString() }
}

async function makeRecoveryCodes(ctx: Context, tx: Tx, userId: number): Promise<string[]> {
  const letter = () => LETTERS[randomInt(LETTERS.length)] as string
  const part = () => Array.from({ length: 5 }, letter).join('')
  const codes = Array.from({ length: RECOVERY_CODES }, () => `${part()}-${part()}`)
  await saveRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashOf(ctx, userId, code)),
  )
  return codes
}

/** Enables the second factor with a first code of the app. Returns the recovery codes. */
export async function turnOn(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<string[]> {
  await countAttempt()
  const factor = await findFactor(ctx.sql, userId)
  if (!factor) throw factorOff()
  if (factor.confirmed) throw factorOn()
  await checkCode(ctx, userId, factor, code)
  return transaction(ctx.sql, async (tx) => {
    if (!(await confirmFactor(tx, userId))) throw factorOn()
    await tell(ctx, tx, userId, 'on')
    return makeRecoveryCodes(ctx, tx, userId)
  })
}

/** Throws 422 unless there is a second factor and the code is valid. */
export async function proveByFactor(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<void> {
  await countAttempt()
  const factor = await findFactor(ctx.sql, userId)
  if (!factor?.confirmed) throw factorOff()
  await checkCode(ctx, userId, factor, code)
}

export async function renewRecoveryCodes(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<string[]> {
  await proveByFactor(ctx, countAttempt, userId, code)
  return transaction(ctx.sql, async (tx) => {
    await tell(ctx, tx, userId, 'codes')
    return makeRecoveryCodes(ctx, tx, userId)
  })
}

export async function turnOff(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<void> {
  await proveByFactor(ctx, countAttempt, userId, code)
  await transaction(ctx.sql, async (tx) => {
    if (await takeOff(ctx, tx, userId)) return
    throw factorOff()
  })
}

/** Removes the second factor and alerts its user. False if there is none. */
export async function takeOff(ctx: Context, tx: Tx, userId: number): Promise<boolean> {
  if (!(await deleteFactor(tx, userId))) return false
  await tell(ctx, tx, userId, 'off')
  return true
}

/** Checks for an administrator without the second factor that the setting requires (rights-8). */
export async function lacksSecondFactor(ctx: Context, userId: number): Promise<boolean> {
  if (!(await readSettings(ctx))['account:second-factor-for-administrators']) return false
  return !(await hasFactor(ctx.sql, userId))
}
