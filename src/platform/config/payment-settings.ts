import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

export type AlipaySettings = {
  url: string
  appId: string
  sellerId: string
  privateKey: KeyObject
  /** Public key of Alipay, not of the app. */
  publicKey: KeyObject
  noticeUrl: string
  returnUrl: string
}

export type StripeSettings = {
  url: string
  secretKey: string
  webhookSecret: string
  currency: string
  returnUrl: string
}

export type WechatKeys = {
  url: string
  merchantId: string
  serial: string
  privateKey: KeyObject
  /** APIv3 key. WeChat Pay encrypts webhook requests and certificates with this key. */
  apiKey: string
  /** Public key of WeChat Pay with its id. Without this key, the server downloads platform certificates. */
  service: { id: string; key: KeyObject } | undefined
}

export type WechatSettings = WechatKeys & {
  /** App id of the official account, for JSAPI, Native and H5. */
  appId: string
  /** App id of the mobile app, for in-app payments. */
  mobileAppId: string
  noticeUrl: string
  returnUrl: string
}

export type PaymentSettings = {
  alipay?: AlipaySettings
  stripe?: StripeSettings
  wechat?: WechatSettings
}

type Read = {
  text(name: string): string | undefined
  url(name: string, protocols: string[]): string | undefined
  faults: string[]
}

const ADDRESSES = ['https:', 'http:']

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

function readNeeded<const N extends string>({ text, faults }: Read, provider: string, names: readonly N[]) {
  const values = Object.fromEntries(names.map((name) => [name, text(name) ?? ''])) as Record<N, string>
  const missing = names.filter((name) => values[name] === '')
  if (missing.length === names.length) return undefined
  for (const name of missing) faults.push(`${name} is required for payments by ${provider}`)
  return missing.length > 0 ? undefined : values
}

function readKey(
  { faults }: Read,
  name: string,
  value: string,
  read: (text: string) => KeyObject | undefined,
) {
  const key = read(value)
  if (!key) faults.push(`${name} is not an RSA key, in PEM or base64`)
  return key
}

function readStripe(read: Read, returnUrl: string): StripeSettings | undefined {
  const { text, url, faults } = read
  const values = readNeeded(read, 'Stripe', ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'])
  const address = url('STRIPE_URL', ADDRESSES) ?? 'https://api.stripe.com'
  const currency = (text('STRIPE_CURRENCY') ?? 'cny').toLowerCase()
  if (!/^[a-z]{3}$/.test(currency)) faults.push('STRIPE_CURRENCY must be a three-letter code, such as cny')
  return (
    values && {
      url: address,
      secretKey: values.STRIPE_SECRET_KEY,
      webhookSecret: values.STRIPE_WEBHOOK_SECRET,
      currency,
      returnUrl,
    }
  )
}

function readAlipay(read: Read, returnUrl: string, noticeUrl: string): AlipaySettings | undefined {
  const values = readNeeded(read, 'Alipay', [
    'ALIPAY_APP_ID',
    'ALIPAY_SELLER_ID',
    'ALIPAY_PRIVATE_KEY',
    'ALIPAY_PUBLIC_KEY',
  ])
  const url = read.url('ALIPAY_URL', ADDRESSES) ?? 'https://openapi.alipay.com/gateway.do'
  if (!values) return undefined
  const privateKey = readKey(read, 'ALIPAY_PRIVATE_KEY', values.ALIPAY_PRIVATE_KEY, readPrivateKey)
  const publicKey = readKey(read, 'ALIPAY_PUBLIC_KEY', values.ALIPAY_PUBLIC_KEY, readPublicKey)
  if (!privateKey || !publicKey) return undefined
  return {
    url,
    appId: values.ALIPAY_APP_ID,
    sellerId: values.ALIPAY_SELLER_ID,
    privateKey,
    publicKey,
    noticeUrl,
    returnUrl,
  }
}

/** Older merchants of WeChat Pay have no public key and use certificates instead. */
function readWechatKey(read: Read): WechatSettings['service'] {
  const [id, value] = [read.text('WECHAT_PAY_PUBLIC_KEY_ID'), read.text('WECHAT_PAY_PUBLIC_KEY')]
  if (!id && !value) return undefined
  if (!id || !value) {
    const missing = id ? 'WECHAT_PAY_PUBLIC_KEY' : 'WECHAT_PAY_PUBLIC_KEY_ID'
    read.faults.push(`${missing} is required for payments by WeChat Pay`)
    return undefined
  }
  const key = readKey(read, 'WECHAT_PAY_PUBLIC_KEY', value, readPublicKey)
  return key && { id, key }
}

function readWechat(read: Read, returnUrl: string, noticeUrl: string): WechatSettings | undefined {
  const values = readNeeded(read, 'WeChat Pay', [
    'WECHAT_PAY_MERCHANT_ID',
    'WECHAT_PAY_APP_ID',
    'WECHAT_PAY_SERIAL',
    'WECHAT_PAY_PRIVATE_KEY',
    'WECHAT_PAY_API_KEY',
  ])
  const url = read.url('WECHAT_PAY_URL', ADDRESSES) ?? 'https://api.mch.weixin.qq.com'
  const service = readWechatKey(read)
  if (!values) return undefined
  const apiKey = values.WECHAT_PAY_API_KEY
  if (Buffer.byteLength(apiKey) !== 32) read.faults.push('WECHAT_PAY_API_KEY must have 32 characters')
  const privateKey = readKey(read, 'WECHAT_PAY_PRIVATE_KEY', values.WECHAT_PAY_PRIVATE_KEY, readPrivateKey)
  if (!privateKey) return undefined
  return {
    url,
    merchantId: values.WECHAT_PAY_MERCHANT_ID,
    appId: values.WECHAT_PAY_APP_ID,
    mobileAppId: read.text('WECHAT_PAY_MOBILE_APP_ID') ?? values.WECHAT_PAY_APP_ID,
    serial: values.WECHAT_PAY_SERIAL,
    privateKey,
    apiKey,
    service,
    noticeUrl,
    returnUrl,
  }
}

/**
 * Adds a fault for each missing variable of a partly configured provider. `page` is the URL to which payers
 * return by default.
 */
export function readPaymentSettings(read: Read, home: string, page: string): PaymentSettings {
  const returnUrl = read.url('PAYMENT_RETURN_URL', ADDRESSES) ?? page
  const noticeUrl = (name: string) => `${home.replace(/\/+$/, '')}/payments/${name}/notices`
  const alipay = readAlipay(read, returnUrl, noticeUrl('alipay'))
  const stripe = readStripe(read, returnUrl)
  const wechat = readWechat(read, returnUrl, noticeUrl('wechat'))
  return { ...(alipay ? { alipay } : {}), ...(stripe ? { stripe } : {}), ...(wechat ? { wechat } : {}) }
}
