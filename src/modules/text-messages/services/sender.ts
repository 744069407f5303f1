import { isPhoneOf } from '#lib/identifiers.ts'
import { TEXT_SERVICES, type TextServiceName, type TextSettings } from '#platform/config'
import { type Context, defineState } from '#platform/context.ts'
import type { Log } from '#platform/observability'
import { createAliyun } from './aliyun.ts'
import { createGateway } from './gateway.ts'
import { createTencent } from './tencent.ts'
import { SmsError, TEXT_PURPOSES, type TextMessage, type TextService, type Wording } from './text-service.ts'
import { createTwilio } from './twilio.ts'
import { createYunpian } from './yunpian.ts'

/** A line of the setting `sms:templates`. `*` stands for every purpose or country. */
export type TextTemplate = { service: string; purpose: string; country: string } & Wording

/**
 * Parses `SERVICE PURPOSE COUNTRY TEMPLATE SIGNATURE`, where `-` means no template. Returns undefined for an
 * invalid line.
 */
export function readTextTemplate(line: string): TextTemplate | undefined {
  const [, service = '', purpose = '', country = '', template = '', signature] =
    /^(\S+) (\S+) (\S+) (\S+)(?: (.+))?$/.exec(line.trim()) ?? []
  const isKnown =
    (TEXT_SERVICES as readonly string[]).includes(service) &&
    [...TEXT_PURPOSES, '*'].includes(purpose) &&
    /^([A-Z]{2}|\*)$/.test(country)
  if (!isKnown) return undefined
  return {
    service,
    purpose,
    country,
    ...(template === '-' ? {} : { template }),
    ...(signature === undefined ? {} : { signature: signature.trim() }),
  }
}

const findWording = (
  templates: readonly TextTemplate[],
  service: string,
  { phone, purpose }: TextMessage,
): TextTemplate | undefined =>
  templates.find(
    (each) =>
      each.service === service &&
      (each.purpose === '*' || each.purpose === purpose) &&
      isPhoneOf(phone, [each.country]),
  )

/**
 * `reference` is the service's id of the message. `refusals` lists the errors of the services that Kith
 * tried before `service`.
 */
export type SentText = { service: string; reference: string | null; refusals: string[] }

export type SmsSender = {
  send(message: TextMessage, templates?: readonly TextTemplate[]): Promise<SentText>
  services: Readonly<Record<string, TextService>>
}

export function createSms(services: Readonly<Record<string, TextService>>, log: Log): SmsSender {
  const names = Object.keys(services)
  return {
    services,
    async send(message, templates = []) {
      if (names.length === 0) return writeToLog(log, message)
      const faults: SmsError[] = []
      for (const [service, { send }] of Object.entries(services)) {
        try {
          const reference = await send(message, findWording(templates, service, message) ?? {})
          return { service, reference, refusals: faults.map((fault) => fault.message) }
        } catch (error) {
          if (!(error instanceof SmsError)) throw error
          faults.push(error)
        }
      }
      const [first] = faults
      if (faults.length === 1 && first) throw first
      throw new SmsError(faults.map((fault) => fault.message).join('; '), {
        permanent: faults.every((fault) => fault.permanent),
      })
    },
  }
}

/** Logs verification codes, because an operator needs them to set up the site. Logs no other text. */
function writeToLog(log: Log, { phone, code }: TextMessage): SentText {
  if (code === undefined) log.warn('no SMS provider is configured: message not sent')
  else log.warn({ phone, code }, `no SMS provider is configured: verification code ${code} for ${phone}`)
  return { service: 'log', reference: null, refusals: [] }
}

export function openTextServices(
  { order, gateway, aliyun, tencent, yunpian, twilio }: TextSettings,
  receiptUrl: (service: TextServiceName) => string | undefined,
): Record<string, TextService> {
  const made: Record<TextServiceName, () => TextService | undefined> = {
    gateway: () => gateway && createGateway(gateway),
    aliyun: () => aliyun && createAliyun(aliyun),
    tencent: () => tencent && createTencent(tencent),
    yunpian: () => yunpian && createYunpian(yunpian, () => receiptUrl('yunpian')),
    twilio: () => twilio && createTwilio(twilio, () => receiptUrl('twilio')),
  }
  return Object.fromEntries(
    order.flatMap((name) => {
      const service = made[name]()
      return service ? [[name, service]] : []
    }),
  )
}

const signed = (service: string) => `text message receipts ${service}`

/** Checks the signed key in the URL for delivery reports, because most services do not sign their reports. */
export const isReceiptKey = ({ secrets }: Context, service: string, key: string): boolean =>
  secrets.verify(signed(service), key)

export const receiptAddress = ({ config, secrets }: Context, service: string): string =>
  `${config.publicUrl}/text-messages/${service}/receipts/${secrets.sign(signed(service))}`

/** Text message services reject unreachable URLs for delivery reports, such as those of a local server. */
const reachableAddress = (ctx: Context, service: string) =>
  ctx.config.publicUrl.startsWith('https:') ? receiptAddress(ctx, service) : undefined

/** Without a configured service, the server logs text messages instead of sending them. */
export const smsSender = defineState((ctx) =>
  createSms(
    openTextServices(ctx.config.sms, (service) => reachableAddress(ctx, service)),
    ctx.log,
  ),
)
