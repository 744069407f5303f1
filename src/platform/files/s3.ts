import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { assertKey, type ByteRange, isKey, present, type Storage, StorageError } from './storage.ts'

export type S3Options = {
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  endpoint?: string | undefined
  /** Uses `endpoint/bucket/key` instead of `bucket.endpoint/key`, as most self-hosted stores need. */
  forcePathStyle?: boolean | undefined
  /** Maximum time without a byte from the store, per attempt. */
  silenceMs?: number | undefined
}

const SILENCE_MS = 15_000

const PART = 8 * 1024 * 1024
/** Part size of streams of unknown length. S3 allows 10,000 parts, so an object can have about 160 GB. */
const STREAM_PART = 16 * 1024 * 1024

export function createS3Storage(options: S3Options): Storage {
  const bucket = openBucket(options)
  return {
    vendor: 's3',
    async put(key, source, { mime }) {
      assertKey(key)
      await answered(async () => {
        if (Buffer.isBuffer(source)) await bucket.put(key, source, mime)
        else if ((await stat(source.path)).size > PART)
          await bucket.upload(key, createReadStream(source.path), { mime, partSize: PART })
        // Reads small files into memory, because signing and retries need the bytes more than once.
        else await bucket.put(key, await readFile(source.path), mime)
      })
    },
    async open(key, range) {
      assertKey(key)
      return bucket.open(key, range)
    },
    async remove(key) {
      assertKey(key)
      await bucket.remove(key)
    },
    async *list(folder) {
      assertKey(folder)
      for await (const key of bucket.list(`${folder}/`)) if (isKey(key)) yield key
    },
    async writtenAt(key) {
      assertKey(key)
      return (await bucket.find(key))?.LastModified
    },
    // S3 creates an object only after its last byte. Only a lifecycle rule of the bucket removes the parts of an
    // upload whose process was killed.
    async tidy() {},
  }
}

export function readBucketAddress(address: string): { bucket: string; key: string } {
  const { hostname: bucket, pathname } = new URL(address)
  return { bucket, key: decodeURIComponent(pathname.replace(/^\/+|\/+$/g, '')) }
}

/** Opens a bucket without restricting object names, for backups and imports. */
export function openBucket(options: S3Options) {
  const Bucket = options.bucket
  let connection: Promise<{ sdk: typeof import('@aws-sdk/client-s3'); client: S3Client }> | undefined
  // Imports the AWS SDK on first use, because that import takes longer than all others of the server
  // together.
  const connect = () => {
    connection ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, options) }))
    return connection
  }
  return {
    async put(Key: string, Body: Buffer, ContentType: string): Promise<void> {
      const { sdk, client } = await connect()
      await client.send(new sdk.PutObjectCommand({ Bucket, Key, ContentType, Body }))
    },
    /** Uploads a stream in parts and returns its size. The object appears only when it is complete. */
    async upload(
      Key: string,
      stream: AsyncIterable<Buffer>,
      { mime, partSize = STREAM_PART }: { mime?: string; partSize?: number } = {},
    ): Promise<number> {
      const { client } = await connect()
      const { Upload } = await import('@aws-sdk/lib-storage')
      let size = 0
      const counted = async function* () {
        for await (const chunk of stream) {
          size += chunk.length
          yield chunk
        }
      }
      const ContentType = mime === undefined ? {} : { ContentType: mime }
      const params = { Bucket, Key, Body: Readable.from(counted()), ...ContentType }
      // Uploads one part at a time to use the least memory.
      await new Upload({ client, params, partSize, queueSize: 1 }).done()
      return size
    },
    /** `size` is the length of the whole object, or NaN when the store does not report the length. */
    async open(Key: string, range?: ByteRange): Promise<{ stream: Readable; size: number }> {
      const { sdk, client } = await connect()
      const Range = range && { Range: `bytes=${range.start}-${range.end}` }
      const found = await answered(() => client.send(new sdk.GetObjectCommand({ Bucket, Key, ...Range })))
      const whole = found.ContentRange?.split('/')[1]
      return { stream: found.Body as Readable, size: Number(whole ?? found.ContentLength) }
    },
    async find(Key: string) {
      const { sdk, client } = await connect()
      return present(answered(() => client.send(new sdk.HeadObjectCommand({ Bucket, Key }))))
    },
    async remove(Key: string): Promise<void> {
      const { sdk, client } = await connect()
      await answered(() => client.send(new sdk.DeleteObjectCommand({ Bucket, Key })))
    },
    async *list(Prefix: string, pageSize = 1000): AsyncIterable<string> {
      for await (const { key } of this.listObjects(Prefix, pageSize)) yield key
    },
    async *listObjects(
      Prefix: string,
      pageSize = 1000,
    ): AsyncIterable<{ key: string; bytes: number; version: string }> {
      const { sdk, client } = await connect()
      const pages = sdk.paginateListObjectsV2({ client, pageSize }, { Bucket, Prefix })
      for (;;) {
        const { value, done } = await answered(() => pages.next())
        if (done) return
        for (const { Key: key, Size: bytes = 0, ETag = '', LastModified } of value.Contents ?? [])
          if (key !== undefined) yield { key, bytes, version: ETag || `${bytes} ${LastModified?.getTime()}` }
      }
    },
  }
}

function createClient(sdk: typeof import('@aws-sdk/client-s3'), options: S3Options): S3Client {
  return new sdk.S3Client({
    region: options.region,
    forcePathStyle: options.forcePathStyle ?? false,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    // Many S3-compatible stores reject the SDK's default checksum trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Sets `socketTimeout`, because `requestTimeout` of the SDK only logs a warning.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: options.silenceMs ?? SILENCE_MS },
    maxAttempts: 3,
  })
}

async function answered<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    if (name === 'NotFound' || name === 'NoSuchKey') {
      throw new StorageError('missing', 'No such stored file', error)
    }
    throw new StorageError('unavailable', 'The object store does not answer as it should', error)
  }
}
