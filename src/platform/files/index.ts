export { removeAbandoned } from './abandoned.ts'
export { createLocalStorage, findExistingFolder } from './local.ts'
export { createS3Storage, openBucket, readBucketAddress, type S3Options } from './s3.ts'
export { type ByteRange, present, type Storage, StorageError } from './storage.ts'
