/**
 * Returns a random key for the header `Idempotency-Key`, 32 hexadecimal digits. `crypto.randomUUID` exists only on secure
 * origins, and a site in a local network has none.
 */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
