export { createStorage } from './create.ts'
export { openBucket, present, readBucketAddress, type S3Options } from './s3.ts'
export { type ByteRange, type Storage, StorageError } from './storage.ts'
