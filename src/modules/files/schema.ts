import { messageOf } from '#lib/faults.ts'
import type { Context } from '#platform/context.ts'
import { type ApiError, apiError, type DeclaredError, invalidField } from '#platform/errors.ts'
import { StorageError } from '#platform/files'
import { Id, Int, Nullable, OneOf, Shared, type Static, Text, Type } from '#platform/http'
import { MediaError } from './media/errors.ts'
import { acceptedTypes } from './media/inspect.ts'
import { maxPixels } from './media/sharp.ts'

export const noSuchFile = apiError(404, 'no_such_file', 'This file does not exist.', '文件不存在。')
export const badSignature = apiError(
  403,
  'invalid_signature',
  'This link is invalid, has already been used or has expired.',
  '该链接无效、已被使用或已过期。',
)
export const filePaid = apiError(
  403,
  'payment_required',
  'You must pay for this file first.',
  '付费后才能查看该文件。',
)

const storageFull = apiError(507, 'storage_full', 'There is no space left for files.', '存储空间已满。')
const storageDown = apiError(
  503,
  'storage_unavailable',
  'Files are temporarily unavailable. Try again soon.',
  '文件服务暂时不可用，请稍后再试。',
)
const tooBusy = apiError(
  503,
  'media_busy',
  'Too many pictures are being processed. Try again soon.',
  '图片处理繁忙，请稍后再试。',
)

const onField = (code: string, en: string, zh: string): DeclaredError => ({
  status: 422,
  code,
  text: { en, zh },
})

export const fileMissing = onField('file_missing', 'Choose a file to upload.', '请选择要上传的文件。')
export const fileTooLarge = onField('file_too_large', 'The file is too large.', '文件过大。')
const pictureTooLarge = onField(
  'picture_too_large',
  'The picture has more than 50 megapixels.',
  '图片不能超过 5000 万像素。',
)
export const fileBroken = onField('file_broken', 'The file is damaged.', '文件已损坏。')
export const fileNotAccepted = onField(
  'file_not_accepted',
  'Only JPEG, PNG, GIF, WebP and BMP pictures, MP4 video and MP3, M4A, Ogg, FLAC and WAV sound are accepted.',
  '仅支持 JPEG、PNG、GIF、WebP、BMP 图片，MP4 视频以及 MP3、M4A、Ogg、FLAC、WAV 音频。',
)
export const fileNotUsable = onField(
  'file_not_usable',
  'Every file must be an upload of yours that is not used elsewhere.',
  '只能使用本人上传且未用于他处的文件。',
)
export const wrongKind = onField(
  'file_not_usable',
  'A file of this kind cannot be used here.',
  '此处不能使用该类型的文件。',
)

export const wrongSize = apiError(
  422,
  'size_mismatch',
  'The size of the file differs from the declared one.',
  '文件大小与声明不符。',
)
export const UPLOAD_ERRORS: readonly DeclaredError[] = [
  ...[fileMissing, fileTooLarge, fileNotAccepted, fileBroken, pictureTooLarge],
  ...[tooBusy, storageFull, storageDown],
]

export const refusedFile = (field: string, { text, code }: DeclaredError): ApiError =>
  invalidField(field, text, code)

/** Maps media and storage errors to API errors. An invalid file becomes an error 422 on `field`. */
export function uploadFault(ctx: Context, error: unknown, field: string): unknown {
  if (error instanceof MediaError) {
    if (error.fault === 'busy') return tooBusy({ headers: { 'Retry-After': 5 } })
    return refusedFile(field, error.fault === 'too_large' ? pictureTooLarge : fileBroken)
  }
  return readFault(ctx, error)
}

export function readFault(ctx: Context, error: unknown): unknown {
  if (error instanceof MediaError) {
    return error.fault === 'busy' ? tooBusy({ headers: { 'Retry-After': 5 } }) : noSuchFile()
  }
  if (!(error instanceof StorageError)) return error
  if (error.fault === 'unavailable')
    ctx.log.warn({ fault: messageOf(error) }, 'the storage of files does not answer')
  else ctx.log.error({ err: error }, 'storage')
  if (error.fault === 'full') return storageFull()
  return error.fault === 'unavailable' ? storageDown({ headers: { 'Retry-After': 5 } }) : noSuchFile()
}

/** Stored picture for clients. `dimension` is absent when the size of the picture is unknown (files-8). */
export const AttachmentView = Shared('Attachment', {
  url: Type.String(),
  vendor: Type.String(),
  mime: Type.String(),
  size: Type.Integer({ description: 'bytes' }),
  dimension: Type.Optional(Shared('Dimension', { width: Type.Integer(), height: Type.Integer() })),
})
export type AttachmentView = Static<typeof AttachmentView>

/** Node metadata copied into other rows. Nodes are immutable, so copies stay current. */
export type StoredNode = {
  node: string
  mime: string
  size: number
  width: number | null
  height: number | null
}

/** `file` repeats the id for existing clients. */
export const FileView = Shared('File', {
  id: Type.Integer(),
  file: Type.Integer(),
  size: Nullable(Type.String({ description: 'Width x height of pictures and videos' })),
  mime: Type.String(),
})
export type FileView = Static<typeof FileView>

/** Payment that the viewer still owes for a file. Null for free, paid or own files. */
export type UnpaidKind = 'read' | 'download' | 'listen' | null

export type Use = { owner_id: number; channel: string | null; raw: number | null }

/** Checks and confidential channels of higher modules. Injected, because `files` cannot import these modules. */
export type FileRoutesOptions = {
  findUnpaid(fileId: number, viewerId: number): Promise<UnpaidKind>
  isHidden(file: Use, viewerId: number): Promise<boolean>
  /** True for files whose URLs must not outlive the access to them. */
  isConfidential(file: Use): Promise<boolean>
  confidential: ReadonlySet<string>
}

export const FileParams = Type.Object({ file: Id })

/** Documents the form only. The server streams the multipart body. */
export const UploadForm = Shared('UploadForm', {
  file: Type.Optional(
    Type.Unsafe<unknown>({
      type: 'string',
      format: 'binary',
      maxLength: 1_073_741_824,
      description: 'Content of the file',
    }),
  ),
})

export const Md5Params = Type.Object({ md5: Text(32, { pattern: '^[0-9a-fA-F]{32}$' }) })

/** Any `json` value except 0 and false selects a JSON reply. */
export const FileQuery = Type.Object({
  w: Type.Optional(Int(0, 10_000)),
  h: Type.Optional(Int(0, 10_000)),
  q: Type.Optional(Int(0, 100)),
  b: Type.Optional(Int(0, 100)),
  json: Type.Optional(Text(16, { 'x-empty': true })),
})

/** `url` lets the uploader view the file before it is attached (files-15). */
export const UploadedFile = Shared('UploadedFile', {
  message: Type.Array(Type.String()),
  id: Type.Integer(),
  url: Type.String({ description: 'Valid for one to two hours, requires no token' }),
})

export const FileUrl = Shared('FileUrl', { url: Type.String() })

export const SignedQuery = Type.Object({
  rule: Type.Optional(Text(100)),
  expires: Type.Optional(Text(20)),
  signature: Type.Optional(Text(100)),
})
export type SignedQuery = Static<typeof SignedQuery>

export const NodeParams = Type.Object({ node: Text(512) })
export type NodeParams = Static<typeof NodeParams>

export const OldPath = Type.Object({ '*': Text(512) })

export const RuleQuery = Type.Object({ rule: Type.Optional(Text(200)) })

export const maxNodeBytes = 2_097_152

const nodeTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** Limits that clients check before an upload (files-17). */
export const uploadLimits = ({ config }: Context) => ({
  max_bytes: config.maxUploadBytes,
  max_pixels: maxPixels,
  mime_types: acceptedTypes,
  node_max_bytes: maxNodeBytes,
  node_mime_types: [...nodeTypes],
})

export const StorageTask = Shared('NewStorageTask', {
  filename: Text(255, { pattern: '\\.[A-Za-z0-9]{1,10}$', description: 'with its extension' }),
  hash: Text(32, { pattern: '^[0-9a-fA-F]{32}$', description: 'MD5 hash of the file' }),
  size: Int(1, maxNodeBytes),
  mime_type: OneOf(nodeTypes),
  storage: Shared('StorageChannel', { channel: OneOf(['public'] as const) }),
})
export type StorageTask = Static<typeof StorageTask>

/** `form` and `file_key` are always null, because only storage providers with form uploads need them. */
export const StorageTaskView = Shared('StorageTask', {
  uri: Type.String(),
  method: Type.String(),
  headers: Shared('StorageTaskHeaders', {
    'x-plus-storage-hash': Type.String(),
    'Content-Type': Type.String(),
  }),
  form: Type.Null(),
  file_key: Type.Null(),
  node: Type.String(),
})

export const NodeReply = Shared('StorageNode', { node: Type.String() })

export type StoredBytes = {
  key: string
  mime: string
  size: number
  width: number | null
  height: number | null
}
