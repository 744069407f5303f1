import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import type { ByteRange, Storage, StorageSource } from './storage.ts'
import { assertKey, isKey, StorageError } from './storage.ts'

export type S3Options = {
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Absent: Amazon's endpoint of the region. */
  endpoint?: string | undefined
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`, which most self-hosted stores need. */
  forcePathStyle?: boolean | undefined
  /** Timeout of an attempt without a byte from the store. */
  silenceMs?: number | undefined
}

/** Number of attempts. */
const SILENCE_MS = 15_000

/** Files above this size are uploaded in parts. */
const PART = 8 * 1024 * 1024
/** Part size of a stream of unknown length. Every store takes parts of 5 MB, and an object has at most 10,000. */
const STREAM_PART = 16 * 1024 * 1024

/** Objects in one bucket of Amazon S3 or a compatible store. */
export function createS3Storage(options: S3Options): Storage {
  const Bucket = options.bucket
  let connection: Promise<{ sdk: typeof import('@aws-sdk/client-s3'); client: S3Client }> | undefined
  // Loads the SDK on first use. It takes longer than the rest of the server, and most servers never use it.
  const connect = () => {
    connection ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, options) }))
    return connection
  }

  async function put(key: string, source: StorageSource, { mime }: { mime: string }): Promise<void> {
    assertKey(key)
    const { sdk, client } = await connect()
    await answered(async () => {
      if (!Buffer.isBuffer(source) && (await stat(source.path)).size > PART)
        return uploadParts(
          client,
          { Bucket, Key: key, ContentType: mime },
          createReadStream(source.path),
          PART,
        )
      // In memory, because a stream can be neither signed without reading it twice nor retried.
      const Body = Buffer.isBuffer(source) ? source : await readFile(source.path)
      return client.send(new sdk.PutObjectCommand({ Bucket, Key: key, ContentType: mime, Body }))
    })
  }

  async function open(key: string, range?: ByteRange) {
    assertKey(key)
    const { sdk, client } = await connect()
    const Range = range && { Range: `bytes=${range.start}-${range.end}` }
    const found = await answered(() => client.send(new sdk.GetObjectCommand({ Bucket, Key: key, ...Range })))
    const whole = found.ContentRange?.split('/')[1]
    return { stream: found.Body as Readable, size: Number(whole ?? found.ContentLength) }
  }

  async function remove(key: string): Promise<void> {
    assertKey(key)
    const { sdk, client } = await connect()
    await answered(() => client.send(new sdk.DeleteObjectCommand({ Bucket, Key: key })))
  }

  async function exists(key: string): Promise<boolean> {
    assertKey(key)
    const { sdk, client } = await connect()
    return (await present(() => client.send(new sdk.HeadObjectCommand({ Bucket, Key: key })))) !== undefined
  }

  async function* list(folder: string): AsyncIterable<string> {
    assertKey(folder)
    const { sdk, client } = await connect()
    let ContinuationToken: string | undefined
    do {
      const from = ContinuationToken === undefined ? {} : { ContinuationToken }
      const page = await answered(() =>
        client.send(new sdk.ListObjectsV2Command({ Bucket, Prefix: `${folder}/`, ...from })),
      )
      for (const { Key } of page.Contents ?? []) if (Key !== undefined && isKey(Key)) yield Key
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  async function writtenAt(key: string): Promise<Date | undefined> {
    assertKey(key)
    const { sdk, client } = await connect()
    return (await present(() => client.send(new sdk.HeadObjectCommand({ Bucket, Key: key }))))?.LastModified
  }

  // An object appears once complete, so there is nothing to clean up.
  const tidy = async () => {}

  return { vendor: 's3', put, open, remove, exists, list, writtenAt, tidy }
}

/** Splits `s3://bucket/key`. */
export function readBucketAddress(address: string): { bucket: string; key: string } {
  const { hostname: bucket, pathname } = new URL(address)
  return { bucket, key: decodeURIComponent(pathname.replace(/^\/+|\/+$/g, '')) }
}

/** A bucket with object names chosen by others: backups, and the files of an imported site. */
export function openBucket(options: S3Options) {
  const Bucket = options.bucket
  let connection: Promise<{ sdk: typeof import('@aws-sdk/client-s3'); client: S3Client }> | undefined
  const connect = () => {
    connection ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, options) }))
    return connection
  }
  return {
    /** Uploads a stream as one object, which appears once complete, and returns its size. */
    async upload(Key: string, stream: AsyncIterable<Buffer>): Promise<number> {
      const { client } = await connect()
      return uploadParts(client, { Bucket, Key }, stream, STREAM_PART)
    },
    async read(Key: string): Promise<Readable> {
      const { sdk, client } = await connect()
      const found = await answered(() => client.send(new sdk.GetObjectCommand({ Bucket, Key })))
      return found.Body as Readable
    },
    /** Undefined when there is no such object. */
    async find(Key: string): Promise<{ stream: Readable; size: number } | undefined> {
      const { sdk, client } = await connect()
      const found = await present(() => client.send(new sdk.GetObjectCommand({ Bucket, Key })))
      return found && { stream: found.Body as Readable, size: Number(found.ContentLength) }
    },
    async has(Key: string): Promise<boolean> {
      const { sdk, client } = await connect()
      return (await present(() => client.send(new sdk.HeadObjectCommand({ Bucket, Key })))) !== undefined
    },
    async remove(Key: string): Promise<void> {
      const { sdk, client } = await connect()
      await answered(() => client.send(new sdk.DeleteObjectCommand({ Bucket, Key })))
    },
    /** Lists the names of objects with a prefix: all, or the first `limit`. */
    async list(Prefix: string, limit = Number.POSITIVE_INFINITY): Promise<string[]> {
      const { sdk, client } = await connect()
      const keys: string[] = []
      let ContinuationToken: string | undefined
      do {
        const more = ContinuationToken === undefined ? {} : { ContinuationToken }
        const page = await answered(() =>
          client.send(
            new sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: Math.min(limit, 1000), ...more }),
          ),
        )
        keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined && keys.length < limit)
      return keys
    },
  }
}

/** Uploads a stream in parts as one object, which appears once complete, and returns its size. */
async function uploadParts(
  client: S3Client,
  object: { Bucket: string; Key: string; ContentType?: string },
  stream: AsyncIterable<Buffer>,
  partSize: number,
): Promise<number> {
  const { Upload } = await import('@aws-sdk/lib-storage')
  let size = 0
  const counted = async function* () {
    for await (const chunk of stream) {
      size += chunk.length
      yield chunk
    }
  }
  // A failed upload removes its parts. One at a time holds the least memory.
  const params = { ...object, Body: Readable.from(counted()) }
  await new Upload({ client, params, partSize, queueSize: 1 }).done()
  return size
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
    // The SDK's own requestTimeout only logs a warning.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: options.silenceMs ?? SILENCE_MS },
    maxAttempts: 3,
  })
}

/** Undefined when there is no such object. */
async function present<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await answered(call)
  } catch (error) {
    if (error instanceof StorageError && error.fault === 'missing') return undefined
    throw error
  }
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
