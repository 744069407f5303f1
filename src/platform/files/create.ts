import { createLocalStorage } from './local.ts'
import { createS3Storage, type S3Options } from './s3.ts'
import type { Storage } from './storage.ts'

export type StorageOptions = { kind: 'local'; root: string } | ({ kind: 's3' } & S3Options)

export function createStorage(options: StorageOptions): Storage {
  return options.kind === 'local' ? createLocalStorage(options.root) : createS3Storage(options)
}
