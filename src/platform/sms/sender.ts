import { isPhoneOf } from '#lib/identifiers.ts'
import type { Log } from '#platform/observability'
import {
  SmsError,
  TEXT_PURPOSES,
  TEXT_SERVICES,
  type TextMessage,
  type TextService,
  type Wording,
} from './service.ts'

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

function writeToLog(log: Log, { phone, text, code }: TextMessage): SentText {
  if (code === undefined) log.warn({ phone, text }, 'no SMS provider is configured: message not sent')
  else log.warn({ phone, code }, `no SMS provider is configured: verification code ${code} for ${phone}`)
  return { service: 'log', reference: null, refusals: [] }
}
