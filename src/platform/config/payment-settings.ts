import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { HTTP_PROTOCOLS, readGroup, type SettingReader } from './setting-groups.ts'

export type PaymentSettings = ReturnType<typeof readPaymentSettings>

/** Reads a PEM key, or base64 without a PEM header, because provider consoles display keys that way. */
function readRsa<T extends string>(
  text: string,
  read: (input: string | { key: Buffer; format: 'der'; type: T }) => KeyObject,
  types: readonly T[],
): KeyObject | undefined {
  const key = Buffer.from(text.replace(/\s+/g, ''), 'base64')
  const bare = types.map((type) => ({ key, format: 'der' as const, type }))
  for (const input of text.includes('-----BEGIN') ? [text] : bare)
    try {
      const found = read(input)
      if (found.asymmetricKeyType === 'rsa') return found
    } catch {
      // Tries the next key format.
    }
  return undefined
}
const readPrivateKey = (text: string) => readRsa(text, createPrivateKey, ['pkcs8', 'pkcs1'])
const readPublicKey = (text: string) => readRsa(text, createPublicKey, ['spki', 'pkcs1'])

/** Adds a fault for an unreadable key. `readGroup` has already added one for a missing key. */
function readKey(
  { faults }: SettingReader,
  name: string,
  value: string,
  read: (text: string) => KeyObject | undefined,
) {
  const key = read(value)
  if (!key && value !== '') faults.push(`${name} is not an RSA key, in PEM or base64`)
  return key
}

function readStripe(read: SettingReader, returnUrl: string) {
  const values = readGroup(read, 'payments by Stripe', {
    secretKey: 'STRIPE_SECRET_KEY',
    webhookSecret: 'STRIPE_WEBHOOK_SECRET',
  })
  const url = read.url('STRIPE_URL', HTTP_PROTOCOLS) ?? 'https://api.stripe.com'
  const currency = (read.text('STRIPE_CURRENCY') ?? 'cny').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency))
    read.faults.push('STRIPE_CURRENCY must be a three-letter code, such as cny')
  return values && { ...values, url, currency, returnUrl }
}

function readAlipay(read: SettingReader, returnUrl: string, noticeUrl: string) {
  const values = readGroup(read, 'payments by Alipay', {
    appId: 'ALIPAY_APP_ID',
    sellerId: 'ALIPAY_SELLER_ID',
    privateKey: 'ALIPAY_PRIVATE_KEY',
    /** Public key of Alipay, not of the app. */
    publicKey: 'ALIPAY_PUBLIC_KEY',
  })
  const url = read.url('ALIPAY_URL', HTTP_PROTOCOLS) ?? 'https://openapi.alipay.com/gateway.do'
  if (!values) return undefined
  const privateKey = readKey(read, 'ALIPAY_PRIVATE_KEY', values.privateKey, readPrivateKey)
  const publicKey = readKey(read, 'ALIPAY_PUBLIC_KEY', values.publicKey, readPublicKey)
  return privateKey && publicKey && { ...values, url, privateKey, publicKey, noticeUrl, returnUrl }
}

/**
 * Reads the public key of WeChat Pay with its id. Older merchants have no such key, so the server downloads platform
 * certificates for them instead.
 */
function readWechatKey(read: SettingReader) {
  const values = readGroup(read, 'payments by WeChat Pay', {
    id: 'WECHAT_PAY_PUBLIC_KEY_ID',
    key: 'WECHAT_PAY_PUBLIC_KEY',
  })
  const key = values && readKey(read, 'WECHAT_PAY_PUBLIC_KEY', values.key, readPublicKey)
  return values && key && { id: values.id, key }
}

function readWechat(read: SettingReader, returnUrl: string, noticeUrl: string) {
  const values = readGroup(read, 'payments by WeChat Pay', {
    merchantId: 'WECHAT_PAY_MERCHANT_ID',
    /** App id of the official account, for JSAPI, Native and H5. */
    appId: 'WECHAT_PAY_APP_ID',
    serial: 'WECHAT_PAY_SERIAL',
    privateKey: 'WECHAT_PAY_PRIVATE_KEY',
    /** APIv3 key. WeChat Pay encrypts webhook requests and certificates with this key. */
    apiKey: 'WECHAT_PAY_API_KEY',
  })
  const url = read.url('WECHAT_PAY_URL', HTTP_PROTOCOLS) ?? 'https://api.mch.weixin.qq.com'
  const service = readWechatKey(read)
  if (!values) return undefined
  if (values.apiKey !== '' && Buffer.byteLength(values.apiKey) !== 32)
    read.faults.push('WECHAT_PAY_API_KEY must have 32 characters')
  const privateKey = readKey(read, 'WECHAT_PAY_PRIVATE_KEY', values.privateKey, readPrivateKey)
  /** App id of the mobile app, for in-app payments. */
  const mobileAppId = read.text('WECHAT_PAY_MOBILE_APP_ID') ?? values.appId
  return privateKey && { ...values, url, mobileAppId, privateKey, service, noticeUrl, returnUrl }
}

/**
 * Adds a fault for each missing variable of a partly configured provider. `page` is the URL to which payers
 * return by default.
 */
export function readPaymentSettings(read: SettingReader, home: string, page: string) {
  const returnUrl = read.url('PAYMENT_RETURN_URL', HTTP_PROTOCOLS) ?? page
  const noticeUrl = (name: string) => `${home}/payments/${name}/notices`
  return {
    alipay: readAlipay(read, returnUrl, noticeUrl('alipay')),
    stripe: readStripe(read, returnUrl),
    wechat: readWechat(read, returnUrl, noticeUrl('wechat')),
  }
}
