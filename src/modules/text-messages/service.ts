import { countryOfPhone, isPhoneCountry } from '#lib/phones.ts'
import { readSettings, type SettingChecks } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { apiError, invalidField } from '#platform/errors.ts'
import { readTextTemplate, type SentText, SmsError, type TextMessage } from '#platform/sms'
import { type Counted, countText, saveText, secondsLeft } from './queries.ts'

export const tooManyTexts = apiError(
  429,
  'too_many_texts',
  'No more text messages can be sent today. Try again tomorrow, or use an e-mail address.',
  '今日短信发送次数已达上限，请明天再试或使用邮箱。',
)

/** Reads `COUNTRY NUMBER` of the setting `sms:daily-per-country`. */
function readCountryLimit(line: string): { country: string; limit: number } | undefined {
  const [, country = '', number] = /^([A-Z]{2}|\*) (\d{1,9})$/.exec(line.trim()) ?? []
  if (number === undefined || !(country === '*' || isPhoneCountry(country))) return undefined
  return { country, limit: Number(number) }
}

/** The keys under which a message is counted. A limit of 0 in the settings is none. */
async function keysOf(ctx: Context, phone: string, address?: string): Promise<Counted[]> {
  const settings = await readSettings(ctx)
  const country = countryOfPhone(phone)
  const limits = settings['sms:daily-per-country'].flatMap((line) => readCountryLimit(line) ?? [])
  const ofCountry =
    limits.find((each) => each.country === country) ?? limits.find((each) => each.country === '*')
  const hash = (text: string) => ctx.secrets.sign(`text message count ${text}`)
  return [
    { scope: 'number', counted: hash(phone), limit: settings['sms:daily-per-number'] || undefined },
    ...(address === undefined
      ? []
      : [
          { scope: 'address', counted: hash(address), limit: settings['sms:daily-per-address'] || undefined },
        ]),
    { scope: 'country', counted: country, limit: ofCountry?.limit },
    { scope: 'site', counted: 'site', limit: settings['sms:daily'] || undefined },
  ]
}

/**
 * Counts a message that somebody asks for, in the transaction that enqueues it. Throws 429 when a limit of
 * today is reached (sign-in-30).
 */
export async function reserveText(
  ctx: Context,
  tx: Db,
  { phone, address }: { phone: string; address: string },
): Promise<void> {
  const keys = await keysOf(ctx, phone, address)
  const sent = await countText(tx, keys)
  const reached = keys.find(({ limit }, place) => limit !== undefined && (sent[place] ?? 0) > limit)
  if (!reached) return
  const { scope, limit } = reached
  if (scope === 'country' || scope === 'site')
    ctx.log.warn(
      { scope, limit, country: countryOfPhone(phone) },
      'a daily limit of text messages is reached',
    )
  throw tooManyTexts({ headers: { 'Retry-After': await secondsLeft(tx) } })
}

/** True when unrequested messages reach today's limit of the number. Counts this one. */
async function isNumberFull(ctx: Context, phone: string): Promise<boolean> {
  const keys = await keysOf(ctx, phone)
  const [sent = 0] = await countText(ctx.sql, keys)
  const limit = keys[0]?.limit
  return limit !== undefined && sent > limit
}

/** Sends a message and stores what becomes of it. Throws `SmsError` when no service takes it. */
export async function sendText(ctx: Context, message: TextMessage): Promise<SentText | undefined> {
  const { phone, purpose } = message
  // Codes were counted when they were asked for.
  if (purpose !== 'code' && (await isNumberFull(ctx, phone))) {
    ctx.log.warn({ purpose }, 'a text message was left out: the daily limit of its number is reached')
    return undefined
  }
  const settings = await readSettings(ctx)
  const templates = settings['sms:templates'].flatMap((line) => readTextTemplate(line) ?? [])
  const stored = { purpose, country: countryOfPhone(phone), ending: phone.slice(-4) }
  let sent: SentText
  try {
    sent = await ctx.sms.send(message, templates)
  } catch (error) {
    if (error instanceof SmsError) {
      const service = Object.keys(ctx.sms.services).join(', ')
      await saveText(ctx.sql, { ...stored, service, reference: null, state: 'refused', fault: error.message })
    }
    throw error
  }
  const { service, reference, refusals } = sent
  if (refusals.length > 0) ctx.log.warn({ service, refusals }, 'a text message took another service')
  const fault = refusals.length > 0 ? refusals.join('; ') : null
  // A failure here would repeat a message that was sent.
  await saveText(ctx.sql, { ...stored, service, reference, state: 'accepted', fault }).catch((error) =>
    ctx.log.error({ err: error }, 'a sent text message was not stored'),
  )
  return sent
}

/** Checks the lines of the settings about text messages. */
export const textSettings: SettingChecks = {
  errors: [],
  async check(_ctx, _actor, changes) {
    for (const line of changes['sms:templates'] ?? []) {
      const template = readTextTemplate(line)
      if (template === undefined || (template.country !== '*' && !isPhoneCountry(template.country)))
        throw invalidField('sms:templates', {
          en: `${line} is no template, such as aliyun code CN SMS_1234 Kith.`,
          zh: `${line} 不是有效的模板（如 aliyun code CN SMS_1234 签名）。`,
        })
    }
    for (const line of changes['sms:daily-per-country'] ?? [])
      if (readCountryLimit(line) === undefined)
        throw invalidField('sms:daily-per-country', {
          en: `${line} is no limit of a country, such as US 500.`,
          zh: `${line} 不是有效的国家限额（如 US 500）。`,
        })
  },
}
