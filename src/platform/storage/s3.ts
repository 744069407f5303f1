import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { assertKey, isKey, StorageError } from './errors.ts'
import type { ByteRange, Storage, StorageSource } from './storage.ts'

export type S3Options = {
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Absent: Amazon's own for the region. */
  endpoint?: string | undefined
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`, which most self-hosted stores need. */
  forcePathStyle?: boolean | undefined
}

/** What is larger is uploaded in parts of this size. */
const PART = 8 * 1024 * 1024

/** Objects in one bucket of Amazon S3 or of anything that speaks its protocol. */
export function createS3Storage(options: S3Options): Storage {
  const Bucket = options.bucket
  let connection: Promise<{ sdk: typeof import('@aws-sdk/client-s3'); client: S3Client }> | undefined
  // The SDK takes longer to load than the rest of the server, and most servers never use it.
  const connect = () => {
    connection ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, options) }))
    return connection
  }

  async function put(key: string, source: StorageSource, { mime }: { mime: string }): Promise<void> {
    assertKey(key)
    const { sdk, client } = await connect()
    await answered(async () => {
      if (!Buffer.isBuffer(source) && (await stat(source.path)).size > PART)
        return uploadParts(sdk, client, { Bucket, Key: key, ContentType: mime }, partsOf(source.path))
      // In memory rather than a stream: a stream can be neither signed without reading it twice nor retried.
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

  // An object appears when it is whole, so nothing is left behind.
  const tidy = async () => {}

  return { vendor: 's3', put, open, remove, exists, list, writtenAt, tidy }
}

/** What `s3://bucket/key` names. */
export function readBucketAddress(address: string): { bucket: string; key: string } {
  const { hostname: bucket, pathname } = new URL(address)
  return { bucket, key: decodeURIComponent(pathname.replace(/^\/+|\/+$/g, '')) }
}

/** A bucket whose objects have names that others chose: backups, and the files of a site that moves here. */
export function openBucket(options: S3Options) {
  const Bucket = options.bucket
  let connection: Promise<{ sdk: typeof import('@aws-sdk/client-s3'); client: S3Client }> | undefined
  const connect = () => {
    connection ??= import('@aws-sdk/client-s3').then((sdk) => ({ sdk, client: createClient(sdk, options) }))
    return connection
  }
  return {
    /** Uploads pieces as one object, which appears when it is whole; answers its size. */
    async upload(Key: string, pieces: AsyncIterable<Buffer>): Promise<number> {
      const { sdk, client } = await connect()
      return uploadParts(sdk, client, { Bucket, Key }, pieces)
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
    /** The names of the objects that begin so: all, or the first `limit`. */
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

/** A file in parts of which each can be signed and sent again. */
async function* partsOf(path: string): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let size = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    held.push(chunk)
    size += chunk.length
    if (size < PART) continue
    yield Buffer.concat(held)
    held = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(held)
}

/** Uploads parts as one object, which appears when it is whole; answers its size. */
async function uploadParts(
  sdk: typeof import('@aws-sdk/client-s3'),
  client: S3Client,
  object: { Bucket: string; Key: string; ContentType?: string },
  pieces: AsyncIterable<Buffer>,
): Promise<number> {
  const { Bucket, Key } = object
  const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object))
  try {
    let size = 0
    const Parts: { PartNumber: number; ETag: string | undefined }[] = []
    for await (const Body of pieces) {
      const PartNumber = Parts.length + 1
      const { ETag } = await client.send(
        new sdk.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
      )
      Parts.push({ PartNumber, ETag })
      size += Body.length
    }
    const done = { Bucket, Key, UploadId, MultipartUpload: { Parts } }
    await client.send(new sdk.CompleteMultipartUploadCommand(done))
    return size
  } catch (error) {
    await client.send(new sdk.AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => {})
    throw error
  }
}

function createClient(sdk: typeof import('@aws-sdk/client-s3'), options: S3Options): S3Client {
  return new sdk.S3Client({
    region: options.region,
    forcePathStyle: options.forcePathStyle ?? false,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    // The SDK's default checksum trailers are unknown to many S3-compatible stores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 30_000 },
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
