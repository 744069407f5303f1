import { randomInt } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { messageUser } from '#modules/mail/index.ts'
import { readSiteName } from '#modules/settings/index.ts'
import { databaseTime } from '#platform/clocks.ts'
import type { Context } from '#platform/context.ts'
import { type Db, type Row, type Tx, transaction } from '#platform/database'
import { type Language, tooManyRequests } from '#platform/errors.ts'
import {
  type CountAttempt,
  Empty,
  language,
  ownAttemptCounter,
  routesOn,
  type Server,
  type Viewer,
} from '#platform/http'
import { readAccountSettings } from '../settings.ts'
import { useCode } from './codes.ts'
import { verifyPasswordOrCode } from './owner.ts'
import {
  FactorProof,
  FactorSecret,
  factorOff,
  factorOn,
  factorRequired,
  OwnerProof,
  proofMissing,
  RecoveryCodes,
  SecondFactor,
  signInAgain,
  wrongCode,
  wrongFactor,
  wrongPassword,
  wrongProof,
} from './schema.ts'

async function saveSecret(sql: Db, userId: number, secret: string): Promise<boolean> {
  const rows = await sql`
    insert into second_factors as f (user_id, secret) values (${userId}, ${secret})
    on conflict (user_id) do update set secret = excluded.secret, last_step = 0 where f.confirmed_at is null
    returning 1`
  return rows.length === 1
}

type FactorRow = Row<'second_factors', 'secret'> & { confirmed: boolean; recovery_codes: number }

async function findFactor(sql: Db, userId: number): Promise<FactorRow | undefined> {
  const [row] = await sql<FactorRow[]>`
    select f.secret, f.confirmed_at is not null as confirmed,
      (select count(*)::int from (
        select from recovery_codes r where r.user_id = f.user_id limit 100) as codes) as recovery_codes
    from second_factors f where f.user_id = ${userId}`
  return row
}

async function hasFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`select from second_factors where user_id = ${userId} and confirmed_at is not null`
  return rows.length === 1
}

/**
 * Counts an attempt before its verification, so that concurrent attempts cannot exceed the hourly limit. An hour that
 * begins in the future counts as over, because the clock of the database was ahead.
 */
async function countAttemptOn(sql: Db, userId: number, max: number): Promise<boolean> {
  const isOver = sql`failures_since not between now() - interval '1 hour' and now() + interval '1 minute'`
  const rows = await sql`
    update second_factors set
      failures = case when ${isOver} then 1 else failures + 1 end,
      failures_since = case when ${isOver} then now() else failures_since end
    where user_id = ${userId} and (failures < ${max} or ${isOver})
    returning 1`
  return rows.length === 1
}

/** Consumes the code of a time step. Returns false if that code or a later one has been used. */
async function takeStep(sql: Db, userId: number, step: number): Promise<boolean> {
  const rows = await sql`
    update second_factors set last_step = ${step}, failures = 0
    where user_id = ${userId} and last_step < ${step} returning 1`
  return rows.length === 1
}

async function takeRecoveryCode(sql: Db, userId: number, hash: string): Promise<boolean> {
  const rows = await sql`
    with gone as (delete from recovery_codes where user_id = ${userId} and hash = ${hash} returning user_id)
    update second_factors set failures = 0 where user_id in (select user_id from gone) returning 1`
  return rows.length === 1
}

async function confirmFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`
    update second_factors set confirmed_at = now() where user_id = ${userId} and confirmed_at is null returning 1`
  return rows.length === 1
}

async function saveRecoveryCodes(tx: Tx, userId: number, hashes: string[]): Promise<void> {
  await tx`delete from recovery_codes where user_id = ${userId}`
  await tx`insert into recovery_codes (user_id, hash) select ${userId}, unnest(${hashes}::text[])`
}

async function deleteFactor(sql: Db, userId: number): Promise<boolean> {
  const rows = await sql`delete from second_factors where user_id = ${userId} returning confirmed_at`
  return rows.some(({ confirmed_at }) => confirmed_at !== null)
}

async function findLabel(sql: Db, userId: number): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select name from users where id = ${userId}`
  return row?.name ?? ''
}

const PERIOD = 30
/** Accepted clock skew, in time steps of 30 seconds. */
const WINDOW = 1
const FAILURES_MAX = 10
const RECOVERY_CODES = 10
/** Omits look-alike characters. Ten characters give 48 bits of entropy. */
const LETTERS = '23456789abcdefghjkmnpqrstwxyz'

const totpOf = (secret: Secret, { issuer = '', label = '' } = {}) =>
  new TOTP({
    issuer: issuer.replaceAll(':', ' '),
    label,
    secret,
    period: PERIOD,
    digits: 6,
    algorithm: 'SHA1',
  })

const hashOf = ({ secrets }: Context, userId: number, code: string) =>
  secrets.sign(`recovery code ${userId} ${code.toLowerCase().replace(/[\s-]/g, '')}`)

async function takeCode(ctx: Context, userId: number, { secret }: FactorRow, code: string): Promise<boolean> {
  const digits = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(digits)) return takeRecoveryCode(ctx.sql, userId, hashOf(ctx, userId, code))
  const totp = totpOf(Secret.fromBase32(ctx.secrets.open(secret)))
  const timestamp = await databaseTime(ctx.sql)
  const delta = totp.validate({ token: digits, window: WINDOW, timestamp })
  return delta !== null && takeStep(ctx.sql, userId, Math.floor(timestamp / 1000 / PERIOD) + delta)
}

async function checkCode(ctx: Context, userId: number, factor: FactorRow, code: string): Promise<void> {
  if (!(await countAttemptOn(ctx.sql, userId, FAILURES_MAX)))
    throw tooManyRequests({ headers: { 'Retry-After': 3600 } })
  if (!(await takeCode(ctx, userId, factor, code))) throw wrongFactor()
}

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
  on: { zh: '您的账号已开启两步验证。', en: 'Two-step verification of your account is now on.' },
  off: {
    zh: '您的账号已关闭两步验证。如非本人操作，请立即修改密码。',
    en: 'Two-step verification of your account is now off. If it was not you, change your password.',
  },
  codes: {
    zh: '您账号的恢复码已重新生成。如非本人操作，请立即修改密码。',
    en: 'The recovery codes of your account were replaced. If it was not you, change your password.',
  },
}

const tell = (ctx: Context, tx: Tx, userId: number, state: keyof typeof TEXTS) =>
  messageUser(ctx, tx, userId, {
    mail: 'second-factor',
    values: { change: TEXTS[state] },
    page: 'security',
  })

async function prepareFactor(
  ctx: Context,
  countAttempt: CountAttempt,
  viewer: Viewer,
  { password, verifiable_code: code }: OwnerProof,
  reads: Language,
) {
  const refusals = { missing: proofMissing, wrong: wrongProof }
  const proof = await verifyPasswordOrCode(ctx, countAttempt, viewer, { password, code }, refusals)
  const secret = new Secret({ size: 20 })
  // Authenticator apps display this label next to the code.
  const [label, issuer] = await Promise.all([findLabel(ctx.sql, viewer.id), readSiteName(ctx, reads)])
  await transaction(ctx.sql, async (tx) => {
    if (proof) await useCode(ctx, tx, proof, 'user', code as number)
    if (!(await saveSecret(tx, viewer.id, ctx.secrets.seal(secret.base32)))) throw factorOn()
  })
  return { secret: secret.base32, uri: totpOf(secret, { issuer, label }).toString() }
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

async function enableSecondFactor(
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

export async function verifySecondFactor(
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

async function renewRecoveryCodes(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<string[]> {
  await verifySecondFactor(ctx, countAttempt, userId, code)
  return transaction(ctx.sql, async (tx) => {
    await tell(ctx, tx, userId, 'codes')
    return makeRecoveryCodes(ctx, tx, userId)
  })
}

async function turnOff(
  ctx: Context,
  countAttempt: CountAttempt,
  userId: number,
  code: string,
): Promise<void> {
  await verifySecondFactor(ctx, countAttempt, userId, code)
  await transaction(ctx.sql, async (tx) => {
    if (await removeSecondFactor(ctx, tx, userId)) return
    throw factorOff()
  })
}

export async function removeSecondFactor(ctx: Context, tx: Tx, userId: number): Promise<boolean> {
  if (!(await deleteFactor(tx, userId))) return false
  await tell(ctx, tx, userId, 'off')
  return true
}

/**
 * Returns true if a setting requires a second factor of administrators and the given administrator has none
 * (rights-8).
 */
export async function lacksSecondFactor(ctx: Context, userId: number): Promise<boolean> {
  if (!(await readAccountSettings(ctx))['account:second-factor-for-administrators']) return false
  return !(await hasFactor(ctx.sql, userId))
}

export function secondFactorRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Me' })

  route('GET /user/second-factor', {
    operationId: 'getSecondFactor',
    summary: 'Read whether I use a second factor',
    access: 'user',
    reply: { 200: SecondFactor },
    handler: async ({ viewer }) => {
      const factor = await findFactor(ctx.sql, viewer.id)
      return { enabled: factor?.confirmed ?? false, recovery_codes: factor?.recovery_codes ?? 0 }
    },
  })

  route('POST /user/second-factor', {
    operationId: 'prepareSecondFactor',
    summary: 'Create a secret for an authenticator app; it takes effect once a code confirms it',
    access: 'user',
    whileSilenced: true,
    body: OwnerProof,
    reply: { 201: FactorSecret },
    errors: [proofMissing, wrongPassword, wrongProof, wrongCode, signInAgain, factorOn],
    handler: (call) =>
      prepareFactor(ctx, ownAttemptCounter(ctx, call), call.viewer, call.body, language(call.request)),
  })

  route('PUT /user/second-factor', {
    operationId: 'turnSecondFactorOn',
    summary: 'Enable the second factor with a code; returns recovery codes once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 200: RecoveryCodes },
    errors: [wrongFactor, factorOn, factorOff],
    handler: async (call) => ({
      recovery_codes: await enableSecondFactor(
        ctx,
        ownAttemptCounter(ctx, call),
        call.viewer.id,
        call.body.second_factor,
      ),
    }),
  })

  route('POST /user/second-factor/recovery-codes', {
    operationId: 'renewRecoveryCodes',
    summary: 'Replace my recovery codes; returns the new ones once',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 201: RecoveryCodes },
    errors: [wrongFactor, factorOff],
    handler: async (call) => ({
      recovery_codes: await renewRecoveryCodes(
        ctx,
        ownAttemptCounter(ctx, call),
        call.viewer.id,
        call.body.second_factor,
      ),
    }),
  })

  route('DELETE /user/second-factor', {
    operationId: 'turnSecondFactorOff',
    summary: 'Disable the second factor with a code',
    access: 'user',
    whileSilenced: true,
    body: FactorProof,
    reply: { 204: Empty },
    errors: [wrongFactor, factorOff],
    handler: (call) => turnOff(ctx, ownAttemptCounter(ctx, call), call.viewer.id, call.body.second_factor),
  })
}
