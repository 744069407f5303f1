import { createDecipheriv, type KeyObject, randomBytes, sign, verify, X509Certificate } from 'node:crypto'
import { callProvider, parseReply } from './call.ts'
import { PaymentFault, type SettingsOf } from './provider.ts'

type Signature = ReturnType<typeof readSignature>

/** Reads the headers with which WeChat Pay signs its replies and webhook requests. */
export const readSignature = (header: (name: string) => unknown) => ({
  serial: String(header('wechatpay-serial') ?? ''),
  timestamp: String(header('wechatpay-timestamp') ?? ''),
  nonce: String(header('wechatpay-nonce') ?? ''),
  signature: String(header('wechatpay-signature') ?? ''),
})

export type Sealed = { nonce?: unknown; associated_data?: unknown; ciphertext?: unknown }

const TAG_BYTES = 16
/**
 * Minimum interval after a successful load of certificates, so that not every request with an invented serial
 * number causes a load.
 */
const REREAD_MS = 60_000
/** Minimum interval after a failed load of certificates, for the same reason. */
const RETRY_MS = 5_000

export function unseal({ nonce, associated_data: about, ciphertext }: Sealed, apiKey: string): string {
  const bytes = Buffer.from(String(ciphertext), 'base64')
  const decipher = createDecipheriv('aes-256-gcm', apiKey, String(nonce))
  decipher.setAAD(Buffer.from(String(about ?? '')))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
}

export const signLines = (lines: string[], key: KeyObject): string =>
  sign('sha256', Buffer.from(`${lines.join('\n')}\n`), key).toString('base64')

const isSigned = ({ timestamp, nonce, signature }: Signature, body: string, key: KeyObject) =>
  verify('sha256', Buffer.from(`${timestamp}\n${nonce}\n${body}\n`), key, Buffer.from(signature, 'base64'))

export function createWechatSigning(keys: SettingsOf<'wechat'>) {
  const { url, merchantId, serial, privateKey, apiKey, service } = keys
  let certificates = new Map<string, KeyObject>()
  let lastLoad: Promise<void> | undefined
  let nextLoadAt = 0

  const authorization = (method: string, path: string, body: string) => {
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1000)), randomBytes(16).toString('hex')]
    const signature = signLines([method, path, timestamp, nonce, body], privateKey)
    return `WECHATPAY2-SHA256-RSA2048 mchid="${merchantId}",nonce_str="${nonce}",signature="${signature}",timestamp="${timestamp}",serial_no="${serial}"`
  }

  const send = async (method: 'GET' | 'POST', path: string, body: string) => {
    const { status, text, headers } = await callProvider('WeChat Pay', `${url}${path}`, {
      method,
      headers: {
        authorization: authorization(method, path, body),
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'kith',
        ...(service ? { 'wechatpay-serial': service.id } : {}),
      },
      ...(method === 'GET' ? {} : { body }),
    })
    return { status, text, signature: readSignature((name) => headers.get(name)) }
  }

  const requireSuccess = (status: number, text: string) => {
    if (status < 300) return
    const code = status < 500 ? parseReply('WeChat Pay', text).code : undefined
    throw new PaymentFault(`WeChat Pay answered ${status}`, {
      status,
      code: typeof code === 'string' ? code : undefined,
      // Other statuses such as 401 or 429 are temporary, so a retry may succeed.
      isRefusal: [400, 403, 404].includes(status) && code !== 'SYSTEM_ERROR',
    })
  }

  /** Trusts certificates that the APIv3 key decrypts, because only WeChat Pay and the merchant know this key. */
  const readCertificates = async () => {
    const { status, text, signature } = await send('GET', '/v3/certificates', '')
    requireSuccess(status, text)
    const { data } = parseReply('WeChat Pay', text)
    const read = new Map<string, KeyObject>()
    try {
      for (const each of data as { serial_no: string; encrypt_certificate: Sealed }[])
        read.set(each.serial_no, new X509Certificate(unseal(each.encrypt_certificate, apiKey)).publicKey)
    } catch {
      throw new PaymentFault('WeChat Pay sent certificates that the APIv3 key does not open')
    }
    const key = read.get(signature.serial)
    if (!key || !isSigned(signature, text, key))
      throw new PaymentFault('WeChat Pay sent certificates with a wrong signature')
    certificates = read
  }

  /** Shares a running load. Returns the last load, which may have failed, until the next one is due. */
  const loadCertificates = (): Promise<void> => {
    if (lastLoad && performance.now() < nextLoadAt) return lastLoad
    const schedule = (ms: number) => {
      nextLoadAt = performance.now() + ms
    }
    nextLoadAt = Number.POSITIVE_INFINITY
    lastLoad = readCertificates()
    lastLoad.then(
      () => schedule(REREAD_MS),
      () => schedule(RETRY_MS),
    )
    return lastLoad
  }

  const keyOf = async (name: string): Promise<KeyObject | undefined> => {
    if (service && name === service.id) return service.key
    if (name.startsWith('PUB_KEY_ID_')) return undefined
    if (!certificates.has(name)) await loadCertificates()
    return certificates.get(name)
  }

  return {
    authorization,
    /** Verifies the APIv3 key by decrypting certificates, unless a public key is configured. */
    async check(): Promise<void> {
      if (!service) await readCertificates()
    },
    async verify(signature: Signature, body: string): Promise<boolean> {
      const key = await keyOf(signature.serial)
      return key !== undefined && isSigned(signature, body, key)
    },
    async ask(method: 'GET' | 'POST', path: string, content?: unknown) {
      const { status, text, signature } = await send(
        method,
        path,
        content === undefined ? '' : JSON.stringify(content),
      )
      requireSuccess(status, text)
      if (!(await this.verify(signature, text)))
        throw new PaymentFault('WeChat Pay sent an answer with a wrong signature')
      return text === '' ? {} : parseReply('WeChat Pay', text)
    },
  }
}
