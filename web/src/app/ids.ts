/** Random id. `crypto.randomUUID` exists only on secure origins, and sites in a local network have none. */
export const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
