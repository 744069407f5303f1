import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** The bytes of a key without its PEM header, as consoles of providers show it. */
const bytesOf = (text: string) => Buffer.from(text.replace(/\s+/g, ''), 'base64')
const isPem = (text: string) => text.includes('-----BEGIN')

/** Returns the first RSA key that can be read. */
function firstRsa(readers: (() => KeyObject)[]): KeyObject | undefined {
  for (const read of readers)
    try {
      const key = read()
      if (key.asymmetricKeyType === 'rsa') return key
    } catch {
      // Tried as the next format.
    }
  return undefined
}

/** Reads an RSA private key: PEM, or the bare base64 of PKCS#8 or PKCS#1. */
export const readPrivateKey = (text: string): KeyObject | undefined =>
  firstRsa(
    isPem(text)
      ? [() => createPrivateKey(text)]
      : (['pkcs8', 'pkcs1'] as const).map(
          (type) => () => createPrivateKey({ key: bytesOf(text), format: 'der', type }),
        ),
  )

/** Reads an RSA public key: PEM, a certificate, or the bare base64 of a key. */
export const readPublicKey = (text: string): KeyObject | undefined =>
  firstRsa(
    isPem(text)
      ? [() => createPublicKey(text)]
      : (['spki', 'pkcs1'] as const).map(
          (type) => () => createPublicKey({ key: bytesOf(text), format: 'der', type }),
        ),
  )
