import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { minimumSecretLength } from '#platform/app-secret.ts'

export type Secrets = {
  /** Encrypts with a random IV, so equal texts have different results. */
  seal(plain: string): string
  /** Throws when the sealed text was altered or sealed with another secret. */
  open(sealed: string): string
  sign(text: string): string
  verify(text: string, signature: string): boolean
}

const version = 'v1.'
const ivLength = 12
const tagLength = 16

/** Derives one key for sealing (AES-256-GCM) and one for signing (HMAC-SHA-256). */
export function createSecrets(appSecret: string): Secrets {
  if (appSecret.length < minimumSecretLength) {
    throw new Error(`the application secret is shorter than ${minimumSecretLength} characters`)
  }
  const sealKey = deriveKey(appSecret, 'kith seal v1')
  const signKey = deriveKey(appSecret, 'kith sign v1')

  function sign(text: string): string {
    return version + createHmac('sha256', signKey).update(text).digest('base64url')
  }

  return {
    seal(plain) {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', sealKey, iv, { authTagLength: tagLength })
      const sealed = Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return version + sealed.toString('base64url')
    },
    open(sealed) {
      if (!sealed.startsWith(version)) throw new Error('sealed value has an unknown version')
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url')
      if (bytes.length < ivLength + tagLength) throw new Error('sealed value is too short')
      const iv = bytes.subarray(0, ivLength)
      const tag = bytes.subarray(bytes.length - tagLength)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, iv, { authTagLength: tagLength })
      decipher.setAuthTag(tag)
      const body = bytes.subarray(ivLength, bytes.length - tagLength)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
    sign,
    verify(text, signature) {
      // Compares the encoded text, because several base64url strings decode to the same bytes.
      const expected = Buffer.from(sign(text))
      const given = Buffer.from(signature)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

function deriveKey(appSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', appSecret, '', purpose, 32))
}
