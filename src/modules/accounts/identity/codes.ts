import { randomInt } from 'node:crypto'
import { isEmail, isPhone, normalizeEmail, normalizePhone } from '#lib/identifiers.ts'
import { type Channel, deliver } from '#modules/mail/index.ts'
import { reserveText, tooManyTexts } from '#modules/text-messages/index.ts'
import { emailTaken, phoneTaken } from '#modules/users/index.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database'
import {
  type DeclaredError,
  invalidField,
  invalidFields,
  type Language,
  type Text,
} from '#platform/errors.ts'
import {
  addressKey,
  attemptCounter,
  type CountAttempt,
  language,
  localizedMessage,
  Message,
  rateExceeded,
  routesOn,
  type Server,
} from '#platform/http'
import { addJob, type Schedule, type TaskList } from '#platform/jobs'
import { readAccountSettings } from '../settings.ts'
import {
  CONTACT_ERRORS,
  checkContact,
  checkRegistrationMethod,
  REGISTRATION_RULE_ERRORS,
} from './registration-rules.ts'
import {
  type Account,
  CodeTarget,
  codeTooEarly,
  noSuchEmail,
  noSuchPhone,
  type Purpose,
  RegistrationCodeTarget,
  wrongCode,
} from './schema.ts'

/**
 * Factor between the limits of attempts per account and per client address. An attacker with fewer addresses
 * than this cannot exhaust the limit of an account and lock its owner out.
 */
const ADDRESSES = 20

/**
 * Limits attempts per client address, per login and per user. Headers of accepted requests report only the
 * limit per client address, because the other limits would reveal which logins belong to one user.
 */
export async function limitAttempts(
  ctx: Context,
  countAttempt: CountAttempt,
  account: string,
  userId: number | undefined,
): Promise<void> {
  await countAttempt()
  const { sensitive } = ctx.config.rateLimits
  if (sensitive === 0) return
  const keys = [`account:${account}`, ...(userId === undefined ? [] : [`user:${userId}`])]
  for (const key of keys) {
    const state = await ctx.limiter.hit(`sensitive:${key}`, sensitive * ADDRESSES)
    if (state.exceeded) throw rateExceeded(state)
  }
}

type StoredCode = { account: string; purpose: Purpose; hash: string }

/** Maximum number of codes per account and purpose in an hour. Each code allows five wrong attempts. */
const HOURLY_MAX = 10

/**
 * Returns false within a minute of the previous code, or when the hourly limit is reached. Ignores times of the future,
 * because the clock of the database was ahead when they were stored. Times of concurrent requests may be a little later.
 */
async function saveCode(sql: Db, code: StoredCode): Promise<boolean> {
  const isNewHour = sql`excluded.created_at - c.sent_since not between interval '-1 minute' and interval '1 hour'`
  const rows = await sql`
    insert into verification_codes as c (account, purpose, code_hash, expires_at)
    values (${code.account}, ${code.purpose}, ${code.hash}, now() + interval '10 minutes')
    on conflict (account, purpose) do update set
      code_hash = excluded.code_hash, attempts = 0, created_at = excluded.created_at, expires_at = excluded.expires_at,
      sent = case when ${isNewHour} then 1 else c.sent + 1 end,
      sent_since = case when ${isNewHour} then excluded.created_at else c.sent_since end
    where excluded.created_at - c.created_at not between interval '-1 minute' and interval '1 minute'
      and (c.sent < ${HOURLY_MAX} or ${isNewHour})
    returning 1`
  return rows.length === 1
}

async function tryCode(sql: Db, code: StoredCode): Promise<boolean> {
  const [row] = await sql<{ correct: boolean }[]>`
    update verification_codes set attempts = attempts + (code_hash <> ${code.hash})::int
    where account = ${code.account} and purpose = ${code.purpose} and expires_at > now() and attempts < 5
    returning code_hash = ${code.hash} as correct`
  return row?.correct ?? false
}

/** Deletes the code. Returns false if it is no longer valid, for example because a concurrent request used it. */
async function takeCode(sql: Db, code: StoredCode): Promise<boolean> {
  const rows = await sql`
    delete from verification_codes
    where account = ${code.account} and purpose = ${code.purpose} and code_hash = ${code.hash}
      and expires_at > now() and attempts < 5
    returning 1`
  return rows.length === 1
}

async function removeOldCodes(sql: Db): Promise<void> {
  await sql`
    delete from verification_codes
    where expires_at < now() - interval '1 hour' and sent_since < now() - interval '1 hour'`
}

async function isAccountUsed(sql: Db, { field, key }: Account): Promise<boolean> {
  const [row] = await sql<[{ used: boolean }]>`
    select exists (
      select from users where ${field === 'email' ? sql`email_key` : sql`phone`} = ${key}
    ) as used`
  return row.used
}

const INVALID_EMAIL: Text = { en: 'This is not an e-mail address.', zh: '邮箱格式不正确。' }
const INVALID_PHONE: Text = {
  en: 'This is not a mobile phone number. Numbers outside mainland China begin with + and the country code.',
  zh: '手机号格式不正确。中国大陆以外的号码须以 + 和国际区号开头。',
}
const EITHER: Text = {
  en: 'Give a phone number or an e-mail address, but not both.',
  zh: '手机号和邮箱必须且只能提供一个。',
}

export function accountOf({ phone, email }: CodeTarget): Account {
  if ((phone === undefined) === (email === undefined))
    throw invalidFields({ phone: [EITHER], email: [EITHER] })
  if (email !== undefined) {
    if (!isEmail(email)) throw invalidField('email', INVALID_EMAIL)
    return { channel: 'mail', field: 'email', value: email, key: normalizeEmail(email) }
  }
  const given = phone as string
  if (!isPhone(given)) throw invalidField('phone', INVALID_PHONE)
  const key = normalizePhone(given)
  return { channel: 'sms', field: 'phone', value: key, key }
}

export const storedAccount = (field: 'email' | 'phone', value: string): Account => ({
  channel: field === 'email' ? 'mail' : 'sms',
  field,
  value,
  key: field === 'email' ? normalizeEmail(value) : value,
})

/** Returns true if an account with this phone or e-mail exists, and the server tells so (sign-in-21). */
export async function tellsAccount(ctx: Context, field: 'email' | 'phone', value: string): Promise<boolean> {
  if (!(await readAccountSettings(ctx))['users:tell-known-accounts']) return false
  return isAccountUsed(ctx.sql, storedAccount(field, value))
}

const stored = (ctx: Context, account: Account, purpose: Purpose, code: number) => ({
  account: account.key,
  purpose,
  hash: ctx.secrets.sign(`verification code ${purpose} ${account.key} ${digits(code)}`),
})
const digits = (code: number) => String(code).padStart(6, '0')

/**
 * Payload of the job `send_code`. Encrypted, because the queue would otherwise contain valid codes in plain
 * text.
 */
type Dispatch = { channel: Channel; to: string; code: string; language: Language }

async function sendCode(
  ctx: Context,
  countAttempt: CountAttempt,
  { invitation_code: invitation, ...target }: RegistrationCodeTarget,
  {
    purpose,
    language,
    viewerId,
    address,
  }: { purpose: Purpose; language: Language; viewerId: number; address: string },
): Promise<void> {
  const account = accountOf(target)
  await limitAttempts(ctx, countAttempt, account.key, undefined)
  if (purpose === 'register') {
    // Signed-in users only bind a contact, so registration need not be open to them (registration-2).
    if (viewerId === 0) await checkRegistrationMethod(ctx, { door: account.field, invitation })
    await checkContact(ctx, account)
  }
  if ((await isAccountUsed(ctx.sql, account)) !== (purpose === 'user')) {
    if (purpose === 'register') throw account.field === 'email' ? emailTaken() : phoneTaken()
    throw account.field === 'email' ? noSuchEmail() : noSuchPhone()
  }
  const code = randomInt(1_000_000)
  const dispatch: Dispatch = {
    channel: account.channel,
    to: account.value,
    code: digits(code),
    language,
  }
  await transaction(ctx.sql, async (tx) => {
    if (!(await saveCode(tx, stored(ctx, account, purpose, code))))
      throw codeTooEarly({ headers: { 'Retry-After': 60 } })
    if (account.channel === 'sms') await reserveText(ctx, tx, { phone: account.value, address })
    const payload = { sealed: ctx.secrets.seal(JSON.stringify(dispatch)) }
    await addJob(tx, 'send_code', payload, { maxAttempts: 5 })
  })
}

export const isCode = (ctx: Context, account: Account, purpose: Purpose, code: number) =>
  tryCode(ctx.sql, stored(ctx, account, purpose, code))

export async function checkCode(ctx: Context, account: Account, purpose: Purpose, code: number) {
  if (!(await isCode(ctx, account, purpose, code))) throw wrongCode()
}

/** Consumes a checked code. Throws 422 if it is no longer valid, for example after its use by a concurrent request. */
export async function useCode(ctx: Context, tx: Db, account: Account, purpose: Purpose, code: number) {
  if (!(await takeCode(tx, stored(ctx, account, purpose, code)))) throw wrongCode()
}

const tidyCodes = (ctx: Context) => removeOldCodes(ctx.sql)

/** Services add the name of the site to text messages, and require an approved text. */
const SMS = {
  en: (code: string) =>
    `Your verification code is ${code}. It is good for ten minutes. If you did not ask for it, ignore this message.`,
  zh: (code: string) => `您的验证码是 ${code}，十分钟内有效。如非本人操作，请忽略。`,
}

async function send(ctx: Context, { channel, to, code, language }: Dispatch, askedAt: Date): Promise<void> {
  // Measures the age of the code by the database clock, because the server node's clock may be wrong.
  const [expired] =
    await ctx.sql`select where now() > ${askedAt.toISOString()}::timestamptz + interval '10 minutes'`
  if (expired) return
  const text = channel === 'sms' ? { text: SMS[language](code) } : { mail: 'code' as const, values: { code } }
  await deliver(ctx, { channel, to, ...text, language, purpose: 'code', code })
}

export const codeTasks = (ctx: Context): TaskList => ({
  send_code: (payload, { job }) =>
    send(ctx, JSON.parse(ctx.secrets.open((payload as { sealed: string }).sealed)), new Date(job.created_at)),
  tidy_codes: () => tidyCodes(ctx),
})

export const codeSchedules: Schedule[] = [{ task: 'tidy_codes', pattern: '41 * * * *' }]

export function codeRoutes(server: Server, ctx: Context) {
  const route = routesOn(server, ctx, { tag: 'Accounts' })

  const send = (
    purpose: Purpose,
    path: '/verifycodes' | '/verifycodes/register',
    operation: { operationId: string; summary: string; errors: readonly DeclaredError[] },
  ) =>
    route(`POST ${path}`, {
      ...operation,
      errors: [codeTooEarly, tooManyTexts, ...operation.errors],
      whileSilenced: true,
      access: 'optional',
      body: purpose === 'register' ? RegistrationCodeTarget : CodeTarget,
      reply: { 202: Message },
      handler: async (call) => {
        const { request, viewer } = call
        await sendCode(ctx, attemptCounter(ctx, call), call.body, {
          purpose,
          language: language(request),
          viewerId: viewer.id,
          address: addressKey(request.ip),
        })
        return localizedMessage(request, 'The code is on its way.', '验证码已发送。')
      },
    })

  send('register', '/verifycodes/register', {
    operationId: 'sendRegistrationCode',
    summary: 'Send a code to an unused phone or e-mail',
    errors: [emailTaken, phoneTaken, ...REGISTRATION_RULE_ERRORS, ...CONTACT_ERRORS],
  })
  send('user', '/verifycodes', {
    operationId: 'sendCode',
    summary: 'Send a code to the phone or e-mail of an account',
    errors: [noSuchEmail, noSuchPhone],
  })
}
