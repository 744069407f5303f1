import type { Readable } from 'node:stream'

/** Bytes in memory, or a local file to copy. */
export type StorageSource = Buffer | { path: string }

/** Inclusive byte positions, as in an HTTP `Range` header. */
export type ByteRange = { start: number; end: number }

/** Storage of uploaded bytes. A key is written whole or not at all, and replaced by a second `put`. */
export type Storage = {
  readonly vendor: 'local' | 's3'
  put(key: string, source: StorageSource, options: { mime: string }): Promise<void>
  /** `size` is that of the whole object, for a range too. */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number }>
  /** Succeeds for a missing key. */
  remove(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  /** Lists the keys below a folder, unordered, a few at a time in memory. */
  list(folder: string): AsyncIterable<string>
  /** Returns the write time; undefined for a missing key. */
  writtenAt(key: string): Promise<Date | undefined>
  /** Removes remains of interrupted writes after a day. */
  tidy(): Promise<void>
}

export type StorageFault = 'missing' | 'invalid_key' | 'full' | 'unavailable'

/** The deliberate error of a store; `fault` tells the caller how to react. */
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
 * Returns whether this is a key: plain segments between single slashes. No segment starts with a dot, which
 * excludes `..` and a store's hidden folders.
 */
export const isKey = (key: string): boolean => key.length <= 512 && keyPattern.test(key)

export function assertKey(key: string): void {
  if (!isKey(key)) {
    throw new StorageError('invalid_key', `Not a storage key: ${JSON.stringify(key.slice(0, 80))}`)
  }
}
