import { countryOfPhone } from '#lib/identifiers.ts'
import { readSiteName } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { readTextTemplate, type SentText, smsSender } from './services/sender.ts'
import { SmsError, type TextMessage, type TextPurpose, type TextReceipt } from './services/text-service.ts'
import { readCountryLimit, readTextMessageSettings } from './settings.ts'

type TextState = 'accepted' | 'delivered' | 'failed' | 'refused'

type StoredText = {
  service: string
  reference: string | null
  purpose: TextPurpose
  country: string
  ending: string
  state: TextState
  fault: string | null
}

/**
 * Stores a text message. Preserves the state from a delivery report that arrived before the service's
 * response.
 */
const saveText = (sql: Db, text: StoredText) => sql`
  insert into text_messages (service, service_reference, purpose, country, number_ending, state, fault)
  values (${text.service}, ${text.reference}, ${text.purpose}, ${text.country}, ${text.ending}, ${text.state}, ${text.fault})
  on conflict (service, service_reference) do update set
    purpose = excluded.purpose, country = excluded.country, number_ending = excluded.number_ending`

/** Stores a delivery report. A later report cannot change the state of a delivered message. */
export const saveReceipt = (sql: Db, service: string, { reference, delivered, fault }: TextReceipt) => sql`
  insert into text_messages as t (service, service_reference, state, fault, reported_at)
  values (${service}, ${reference}, ${delivered ? 'delivered' : 'failed'}, ${delivered ? null : (fault ?? null)}, now())
  on conflict (service, service_reference) do update set
    state = excluded.state, fault = excluded.fault, reported_at = excluded.reported_at
  where t.state <> 'delivered'`

type Counted = { scope: string; counted: string; limit: number | undefined }

async function countText(sql: Db, keys: readonly Counted[]): Promise<number[]> {
  const rows = await sql<{ scope: string; sent: number }[]>`
    insert into text_message_counts as c (day, scope, counted, sent)
    select (now() at time zone 'utc')::date, scope, counted, 1
    from unnest(${keys.map(({ scope }) => scope)}::text[], ${keys.map(({ counted }) => counted)}::text[])
      with ordinality as k (scope, counted, place)
    order by place
    on conflict (day, scope, counted) do update set sent = c.sent + 1
    returning scope, sent`
  return keys.map(({ scope }) => rows.find((row) => row.scope === scope)?.sent ?? 0)
}

async function secondsLeft(sql: Db): Promise<number> {
  const [row] = await sql<[{ seconds: number }]>`
    select ceil(extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day'
      - (now() at time zone 'utc')))::int as seconds`
  return row.seconds
}

export async function countToday(sql: Db): Promise<number> {
  const [row] = await sql<{ sent: number }[]>`
    select sent from text_message_counts
    where day = (now() at time zone 'utc')::date and scope = 'site' and counted = 'site'`
  return row?.sent ?? 0
}

const KEPT_DAYS = 30

export async function deleteOldTexts(sql: Db): Promise<void> {
  await sql`delete from text_messages where created_at < now() - make_interval(days => ${KEPT_DAYS})`
  await sql`delete from text_message_counts where day < (now() at time zone 'utc')::date`
}

export const tooManyTexts = apiError(
  429,
  'too_many_texts',
  'No more text messages can be sent today. Try again tomorrow, or use an e-mail address.',
  '今日短信发送次数已达上限，请明天再试或使用邮箱。',
)

async function keysOf(ctx: Context, phone: string, address?: string): Promise<Counted[]> {
  const settings = await readTextMessageSettings(ctx)
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
 * Counts a message in the transaction that enqueues the message. Throws 429 above a daily limit (sign-in-30).
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

/** Counts a message, and returns true above the daily limit of the phone number. */
async function isNumberFull(ctx: Context, phone: string): Promise<boolean> {
  const keys = await keysOf(ctx, phone)
  const [sent = 0] = await countText(ctx.sql, keys)
  const limit = keys[0]?.limit
  return limit !== undefined && sent > limit
}

/**
 * Throws `SmsError` when no service accepts the message. Above the daily limit of the phone number, sends only
 * verification codes, and returns undefined for other messages.
 */
export async function sendText(ctx: Context, message: TextMessage): Promise<SentText | undefined> {
  const { phone, purpose } = message
  // Does not count verification codes again, because `reserveText` has already counted them.
  if (purpose !== 'code' && (await isNumberFull(ctx, phone))) {
    ctx.log.warn({ purpose }, 'a text message was not sent: the daily limit of its number is reached')
    return undefined
  }
  const settings = await readTextMessageSettings(ctx)
  const templates = settings['sms:templates'].flatMap((line) => readTextTemplate(line) ?? [])
  const stored = { purpose, country: countryOfPhone(phone), ending: phone.slice(-4) }
  let sent: SentText
  try {
    sent = await smsSender(ctx).send({ ...message, site: await readSiteName(ctx) }, templates)
  } catch (error) {
    if (error instanceof SmsError) {
      const service = Object.keys(smsSender(ctx).services).join(', ')
      await saveText(ctx.sql, { ...stored, service, reference: null, state: 'refused', fault: error.message })
    }
    throw error
  }
  const { service, reference, refusals } = sent
  if (refusals.length > 0) ctx.log.warn({ service, refusals }, 'another service sent a text message')
  const fault = refusals.length > 0 ? refusals.join('; ') : null
  // Ignores a failure to store the message, because a retry of the job would send the message again.
  await saveText(ctx.sql, { ...stored, service, reference, state: 'accepted', fault }).catch((error) =>
    ctx.log.warn({ err: error }, 'storing a sent text message failed'),
  )
  return sent
}
