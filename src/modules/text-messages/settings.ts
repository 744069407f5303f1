import { isPhoneCountry } from '#lib/identifiers.ts'
import { setting, settingsReader } from '#modules/settings/index.ts'
import { Int, TextList } from '#platform/http'
import { readTextTemplate } from './services/sender.ts'

export function readCountryLimit(line: string): { country: string; limit: number } | undefined {
  const [, country = '', number] = /^([A-Z]{2}|\*) (\d{1,9})$/.exec(line.trim()) ?? []
  if (number === undefined || !(country === '*' || isPhoneCountry(country))) return undefined
  return { country, limit: Number(number) }
}

const countryFault = (line: string) =>
  readCountryLimit(line) === undefined
    ? {
        en: `${line} is not a limit of a country such as US 500.`,
        zh: `${line} 不是有效的国家限额（如 US 500）。`,
      }
    : undefined

function templateFault(line: string) {
  const template = readTextTemplate(line)
  return template === undefined || (template.country !== '*' && !isPhoneCountry(template.country))
    ? {
        en: `${line} is not a template such as aliyun code CN SMS_1234 Kith.`,
        zh: `${line} 不是有效的模板（如 aliyun code CN SMS_1234 签名）。`,
      }
    : undefined
}

export const TEXT_MESSAGE_SETTINGS = {
  'sms:templates': setting(TextList(500, 200), [], {
    label: ['Text message templates', '短信模板与签名'],
    help: [
      'Each line contains service, purpose, country, template (or -) and signature, for example: aliyun code CN SMS_1234 Kith.',
      '每行依次填写服务商、用途、国家、模板（无则填 -）和签名，例如：aliyun code CN SMS_1234 签名。',
    ],
    see: 'docs/sms.md',
    guard: 'security',
    faultOf: templateFault,
  }),
  'sms:daily-per-number': setting(Int(0, 10_000), 20, {
    label: ['Daily limit of text messages per number', '每个号码每日短信上限'],
    help: ['0 means no limit.', '0 表示不限制。'],
    guard: 'security',
  }),
  'sms:daily-per-address': setting(Int(0, 1_000_000), 100, {
    label: ['Daily limit of codes per IP address', '每个 IP 地址每日验证码上限'],
    help: [
      '0 means no limit. Several users can share one IP address.',
      '0 表示不限制。多位用户可能共用一个 IP 地址。',
    ],
    guard: 'security',
  }),
  'sms:daily-per-country': setting(TextList(300, 20), [], {
    label: ['Daily limit of codes per country', '每个国家每日验证码上限'],
    help: [
      'Each line contains a country and a number, for example: US 500. * stands for all other countries.',
      '每行填写一个国家和数量，例如：US 500。* 表示其他所有国家。',
    ],
    guard: 'security',
    faultOf: countryFault,
  }),
  'sms:daily': setting(Int(0, 100_000_000), 10_000, {
    label: ['Daily limit of codes by text message', '每日短信验证码总上限'],
    help: [
      '0 means no limit. The limit caps the cost of an attack.',
      '0 表示不限制。此上限可控制遭受攻击时的短信费用。',
    ],
    guard: 'security',
  }),
}

export const readTextMessageSettings = settingsReader(TEXT_MESSAGE_SETTINGS)
