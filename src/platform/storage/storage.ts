import type { Readable } from 'node:stream'
import { createLocalStorage } from './local.ts'
import { createS3Storage, type S3Options } from './s3.ts'

/** Bytes in memory, or a file on this machine that is copied and stays the caller's. */
export type StorageSource = Buffer | { path: string }

/** Inclusive byte positions, as in an HTTP `Range` header. */
export type ByteRange = { start: number; end: number }

/** Where uploaded bytes live. A key is written whole or not at all, and replaced by a second `put`. */
export type Storage = {
  readonly vendor: 'local' | 's3'
  put(key: string, source: StorageSource, options: { mime: string }): Promise<void>
  /** `size` is that of the whole object, also when a range is asked for. */
  open(key: string, range?: ByteRange): Promise<{ stream: Readable; size: number }>
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  /** The keys below a folder, in no order, a few at a time in memory. */
  list(folder: string): AsyncIterable<string>
  /** When the bytes were written; undefined when there are none. */
  writtenAt(key: string): Promise<Date | undefined>
  /** Removes what writes left behind that never ended, a day after it. */
  tidy(): Promise<void>
}

export type StorageOptions = { kind: 'local'; root: string } | ({ kind: 's3' } & S3Options)

/** The store that the configuration names. Nothing is opened or connected before the first use. */
export function createStorage(options: StorageOptions): Storage {
  return options.kind === 'local' ? createLocalStorage(options.root) : createS3Storage(options)
}
