import type { Readable } from 'node:stream'

export type StorageSource = Buffer | { path: string }

/** Inclusive byte positions, as in an HTTP `Range` header. */
export type ByteRange = { start: number; end: number }

/** Storage of uploads. `put` writes a key atomically and replaces an existing one. */
export type Storage = {
  readonly vendor: 'local' | 's3'
  put(key: string, source: StorageSource, options: { mime: string }): Promise<void>
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number }>
  /** Also succeeds when the key is missing. */
  remove(key: string): Promise<void>
  list(folder: string): AsyncIterable<string>
  writtenAt(key: string): Promise<Date | undefined>
  /** Removes partial files of writes that were interrupted over a day ago. */
  tidy(): Promise<void>
}

export type StorageFault = 'missing' | 'invalid_key' | 'full' | 'unavailable'

export class StorageError extends Error {
  readonly fault: StorageFault

  constructor(fault: StorageFault, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StorageError'
    this.fault = fault
  }
}

/** Resolves to undefined when the object is missing. */
export const present = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error) => {
    if (error instanceof StorageError && error.fault === 'missing') return undefined
    throw error
  })

const keyPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/**
 * Accepts up to 512 safe characters. No segment may start with a dot, which excludes `..` and hidden folders.
 */
export const isKey = (key: string): boolean => key.length <= 512 && keyPattern.test(key)

export function assertKey(key: string): void {
  if (!isKey(key)) {
    throw new StorageError('invalid_key', `Not a storage key: ${JSON.stringify(key.slice(0, 80))}`)
  }
}
