import { HTTP_PROTOCOLS, readGroup, type SettingReader } from './setting-groups.ts'

export const TEXT_SERVICES = ['gateway', 'aliyun', 'tencent', 'yunpian', 'twilio'] as const
export type TextServiceName = (typeof TEXT_SERVICES)[number]

export type TextSettings = ReturnType<typeof readTextSettings>

/** Adds a fault for each missing variable of a partly configured SMS service. */
export function readTextSettings(read: SettingReader) {
  const { text, url, faults } = read
  const address = (name: string, standard: string) => url(name, HTTP_PROTOCOLS) ?? standard
  const service = <Field extends string>(name: string, address: string, names: Record<Field, string>) => {
    const values = readGroup(read, `text messages by ${name}`, names)
    return values && { url: address, ...values }
  }
  const gatewayUrl = url('SMS_URL', ['http:', 'https:'])
  const gatewaySecret = text('SMS_SECRET') ?? ''
  const region = text('SMS_TENCENT_REGION') ?? 'ap-guangzhou'
  const tencent = service('Tencent Cloud', address('SMS_TENCENT_URL', 'https://sms.tencentcloudapi.com'), {
    secretId: 'SMS_TENCENT_SECRET_ID',
    secretKey: 'SMS_TENCENT_SECRET_KEY',
    appId: 'SMS_TENCENT_APP_ID',
  })
  const settings = {
    gateway: gatewayUrl ? { url: gatewayUrl, secret: gatewaySecret } : undefined,
    aliyun: service('Aliyun', address('SMS_ALIYUN_URL', 'https://dysmsapi.aliyuncs.com'), {
      keyId: 'SMS_ALIYUN_KEY_ID',
      keySecret: 'SMS_ALIYUN_KEY_SECRET',
    }),
    tencent: tencent && { ...tencent, region },
    yunpian: service('Yunpian', address('SMS_YUNPIAN_URL', 'https://sms.yunpian.com'), {
      key: 'SMS_YUNPIAN_KEY',
    }),
    twilio: service('Twilio', address('SMS_TWILIO_URL', 'https://api.twilio.com'), {
      account: 'SMS_TWILIO_ACCOUNT',
      token: 'SMS_TWILIO_TOKEN',
      /** Sender of the messages: a phone number, a name, or the id of a messaging service (MG…). */
      from: 'SMS_TWILIO_FROM',
    }),
  }
  const configured = TEXT_SERVICES.filter((name) => settings[name] !== undefined)
  const given = text('SMS_SERVICES')?.split(/[\s,]+/)
  for (const name of given ?? [])
    if (!configured.some((each) => each === name))
      faults.push(`SMS_SERVICES names ${name}, which is not configured`)
  return { ...settings, order: configured.filter((name) => !given || given.includes(name)).sort(by(given)) }
}

const by = (list: string[] | undefined) => (a: string, b: string) =>
  list ? list.indexOf(a) - list.indexOf(b) : 0
