export const TEXT_SERVICES = ['gateway', 'aliyun', 'tencent', 'yunpian', 'twilio'] as const
export type TextServiceName = (typeof TEXT_SERVICES)[number]

export type GatewaySettings = { url: string; secret: string }
export type AliyunSettings = { url: string; keyId: string; keySecret: string }

export type TencentSettings = {
  url: string
  secretId: string
  secretKey: string
  appId: string
  region: string
}

export type YunpianSettings = { url: string; key: string }

export type TwilioSettings = {
  url: string
  account: string
  token: string
  /** Sender of the messages: a phone number, a name, or the id of a messaging service (MG…). */
  from: string
}

export type TextSettings = {
  order: TextServiceName[]
  gateway?: GatewaySettings
  aliyun?: AliyunSettings
  tencent?: TencentSettings
  yunpian?: YunpianSettings
  twilio?: TwilioSettings
}

type Read = {
  text(name: string): string | undefined
  url(name: string, protocols: string[]): string | undefined
  faults: string[]
}

/** Adds a fault for each missing variable of a partly configured SMS service. */
export function readTextSettings({ text, url, faults }: Read): TextSettings {
  const needed = <const N extends string>(service: string, names: readonly N[]) => {
    const values = Object.fromEntries(names.map((name) => [name, text(name) ?? ''])) as Record<N, string>
    const missing = names.filter((name) => values[name] === '')
    if (missing.length === names.length) return undefined
    for (const name of missing) faults.push(`${name} is required for text messages by ${service}`)
    return values
  }
  const address = (name: string, standard: string) => url(name, ['https:', 'http:']) ?? standard
  const gatewayUrl = url('SMS_URL', ['http:', 'https:'])
  const gatewaySecret = text('SMS_SECRET') ?? ''
  const aliyun = needed('Aliyun', ['SMS_ALIYUN_KEY_ID', 'SMS_ALIYUN_KEY_SECRET'])
  const tencent = needed('Tencent Cloud', [
    'SMS_TENCENT_SECRET_ID',
    'SMS_TENCENT_SECRET_KEY',
    'SMS_TENCENT_APP_ID',
  ])
  const yunpian = text('SMS_YUNPIAN_KEY')
  const twilio = needed('Twilio', ['SMS_TWILIO_ACCOUNT', 'SMS_TWILIO_TOKEN', 'SMS_TWILIO_FROM'])
  const urls = {
    aliyun: address('SMS_ALIYUN_URL', 'https://dysmsapi.aliyuncs.com'),
    tencent: address('SMS_TENCENT_URL', 'https://sms.tencentcloudapi.com'),
    yunpian: address('SMS_YUNPIAN_URL', 'https://sms.yunpian.com'),
    twilio: address('SMS_TWILIO_URL', 'https://api.twilio.com'),
  }
  const region = text('SMS_TENCENT_REGION') ?? 'ap-guangzhou'
  const settings = {
    ...(gatewayUrl ? { gateway: { url: gatewayUrl, secret: gatewaySecret } } : {}),
    ...(aliyun
      ? {
          aliyun: {
            url: urls.aliyun,
            keyId: aliyun.SMS_ALIYUN_KEY_ID,
            keySecret: aliyun.SMS_ALIYUN_KEY_SECRET,
          },
        }
      : {}),
    ...(tencent
      ? {
          tencent: {
            url: urls.tencent,
            secretId: tencent.SMS_TENCENT_SECRET_ID,
            secretKey: tencent.SMS_TENCENT_SECRET_KEY,
            appId: tencent.SMS_TENCENT_APP_ID,
            region,
          },
        }
      : {}),
    ...(yunpian ? { yunpian: { url: urls.yunpian, key: yunpian } } : {}),
    ...(twilio
      ? {
          twilio: {
            url: urls.twilio,
            account: twilio.SMS_TWILIO_ACCOUNT,
            token: twilio.SMS_TWILIO_TOKEN,
            from: twilio.SMS_TWILIO_FROM,
          },
        }
      : {}),
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
