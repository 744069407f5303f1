export type StorageFault = 'missing' | 'invalid_key' | 'full' | 'unavailable'

/** The one error a store throws on purpose; `fault` says what a caller can do about it. */
export class StorageError extends Error {
  readonly fault: StorageFault

  constructor(fault: StorageFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageError'
    this.fault = fault
  }
}

const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/**
 * Whether this is a key: plain segments between single slashes. No segment can start with a dot, so neither `..` nor a
 * store's own hidden folders can be named. Other names in a folder or bucket are not ours.
 */
export const isKey = (key: string): boolean => key.length <= 512 && keyPattern.test(key)

/** Refuses what is no key. */
export function assertKey(key: string): void {
  if (!isKey(key)) {
    throw new StorageError('invalid_key', `Not a storage key: ${JSON.stringify(key.slice(0, 80))}`)
  }
}
