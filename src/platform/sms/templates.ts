import { isPhoneOf } from '#lib/identifiers.ts'
import { TEXT_PURPOSES, TEXT_SERVICES, type TextMessage, type Wording } from './service.ts'

/** A line of the setting `sms:templates`. `*` stands for every purpose or country. */
export type TextTemplate = { service: string; purpose: string; country: string } & Wording

/** Reads `SERVICE PURPOSE COUNTRY TEMPLATE SIGNATURE`, where `-` is no template. Undefined for anything else. */
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

/** The first line for a message at a service. */
export const findWording = (
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
