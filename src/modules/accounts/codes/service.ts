import { randomInt } from 'node:crypto'
import { isEmail, normalizeEmail } from '#lib/identifiers.ts'
import { isPhone, normalizePhone } from '#lib/phones.ts'
import type { Context } from '#platform/context.ts'
import { type Db, transaction } from '#platform/database.ts'
import { invalidField, invalidFields, type Language, type Text } from '#platform/errors.ts'
import type { CountAttempt } from '#platform/http.ts'
import { addJob } from '#platform/jobs.ts'
import { checkContact, checkDoor } from '../doors/service.ts'
import { emailTaken, phoneTaken, wrongCode } from '../errors.ts'
import { limitAttempts } from '../limits.ts'
import { codeTooEarly, noSuchEmail, noSuchPhone } from './errors.ts'
import { isAccountUsed, removeOldCodes, saveCode, takeCode, tryCode } from './queries.ts'
import type { Account, Channel, CodeTarget, Purpose, RegistrationCodeTarget } from './schema.ts'

const INVALID_EMAIL: Text = { en: 'This is not an e-mail address.', zh: '邮箱格式不正确。' }
const INVALID_PHONE: Text = {
  en: 'This is not a mobile phone number. Numbers outside mainland China begin with + and the country code.',
  zh: '手机号格式不正确，中国大陆以外的号码请以 + 和国家代码开头。',
}
const EITHER: Text = {
  en: 'Give either a phone number or an e-mail address.',
  zh: '请提供手机号或邮箱之一。',
}

/** The account that a request names; 422 unless it is exactly one, well formed. */
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

/** The account of somebody's e-mail or phone as it is stored. */
export const storedAccount = (field: 'email' | 'phone', value: string): Account => ({
  channel: field === 'email' ? 'mail' : 'sms',
  field,
  value,
  key: field === 'email' ? normalizeEmail(value) : value,
})

/** The keyed hash that stands for a code, of no use for another account or purpose. */
const stored = (ctx: Context, account: Account, purpose: Purpose, code: number) => ({
  account: account.key,
  purpose,
  hash: ctx.secrets.sign(`verification code ${purpose} ${account.key} ${digits(code)}`),
})
const digits = (code: number) => String(code).padStart(6, '0')

/** What the job carries, sealed, because a waiting job lies in the database. */
export type Dispatch = { channel: Channel; to: string; code: string; language: Language; until: number }

/** Makes a code and has it sent, in one transaction. */
export async function sendCode(
  ctx: Context,
  countAttempt: CountAttempt,
  { invitation_code: invitation, ...target }: RegistrationCodeTarget,
  { purpose, language, viewerId }: { purpose: Purpose; language: Language; viewerId: number },
): Promise<void> {
  const account = accountOf(target)
  await limitAttempts(ctx, countAttempt, account.key, undefined)
  if (purpose === 'register') {
    // Who is signed in binds with it, which registration has no say in (registration-2).
    if (viewerId === 0) await checkDoor(ctx, { door: account.field, invitation })
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
    until: Date.now() + 10 * 60_000,
  }
  await transaction(ctx.sql, async (tx) => {
    if (!(await saveCode(tx, stored(ctx, account, purpose, code))))
      throw codeTooEarly({ headers: { 'Retry-After': 60 } })
    const payload = { sealed: ctx.secrets.seal(JSON.stringify(dispatch)) }
    await addJob(tx, 'send_code', payload, { maxAttempts: 5 })
  })
}

/** Whether the code is the active one of the account; a wrong one uses up an attempt. */
export const isCode = (ctx: Context, account: Account, purpose: Purpose, code: number) =>
  tryCode(ctx.sql, stored(ctx, account, purpose, code))

/** 422 unless the code is the active one of the account; it stays good until `useCode`. */
export async function checkCode(ctx: Context, account: Account, purpose: Purpose, code: number) {
  if (!(await isCode(ctx, account, purpose, code))) throw wrongCode()
}

/** Uses a checked code up in the transaction of what it is for; 422 when another request was first. */
export async function useCode(ctx: Context, tx: Db, account: Account, purpose: Purpose, code: number) {
  if (!(await takeCode(tx, stored(ctx, account, purpose, code)))) throw wrongCode()
}

/** Deletes codes of the past. */
export const tidyCodes = (ctx: Context) => removeOldCodes(ctx.sql)
