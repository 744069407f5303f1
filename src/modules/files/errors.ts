import type { Context } from '#platform/context.ts'
import { type ApiError, apiError, type DeclaredError, invalidField } from '#platform/errors.ts'
import { MediaError } from '#platform/media/errors.ts'
import { StorageError } from '#platform/storage/errors.ts'

export const noSuchFile = apiError(404, 'no_such_file', 'There is no such file.', '文件不存在。')
export const badSignature = apiError(
  403,
  'invalid_signature',
  'This address is not valid, was used already or has expired.',
  '该链接无效、已被使用或已过期。',
)
export const filePaid = apiError(
  403,
  'payment_required',
  'This file has to be paid for first.',
  '请先付费后再查看该文件。',
)

const storageFull = apiError(507, 'storage_full', 'No space is left for files.', '存储空间已满。')
const storageDown = apiError(
  503,
  'storage_unavailable',
  'Files are not available just now. Try again soon.',
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
  '图片超过五千万像素。',
)
export const fileBroken = onField('file_broken', 'The file is damaged.', '文件已损坏。')
export const fileNotAccepted = onField(
  'file_not_accepted',
  'Only JPEG, PNG, GIF, WebP and BMP pictures, MP4 video and MP3, M4A, Ogg, FLAC and WAV sound are accepted.',
  '仅支持 JPEG、PNG、GIF、WebP、BMP 图片，MP4 视频以及 MP3、M4A、Ogg、FLAC、WAV 音频。',
)
/** A file that is unknown, used elsewhere or somebody else's; on the field that names it. */
export const fileNotUsable = onField(
  'file_not_usable',
  'Every file must be an upload of yours that is not used elsewhere.',
  '文件必须由本人上传且未被使用。',
)
export const wrongKind = onField(
  'file_not_usable',
  'A file of this kind cannot be used here.',
  '此处不能使用该类型的文件。',
)

/** How an upload is refused: 422 on the field of the file, or 5xx where it is not its fault. */
export const UPLOAD_ERRORS: readonly DeclaredError[] = [
  ...[fileMissing, fileTooLarge, fileNotAccepted, fileBroken, pictureTooLarge],
  ...[tooBusy, storageFull, storageDown],
]

/** The refusal of a file, on the field that names it. */
export const refusedFile = (field: string, { text, code }: DeclaredError): ApiError =>
  invalidField(field, text, code)

/** What a client is told when media or storage refuse: 422 on `field` where the file is at fault, else 5xx. */
export function uploadFault(ctx: Context, error: unknown, field: string): unknown {
  if (error instanceof MediaError) {
    if (error.fault === 'busy') return tooBusy({ headers: { 'Retry-After': 5 } })
    return refusedFile(field, error.fault === 'too_large' ? pictureTooLarge : fileBroken)
  }
  return readFault(ctx, error)
}

/** What a client is told when a stored file cannot be read or written. */
export function readFault(ctx: Context, error: unknown): unknown {
  if (error instanceof MediaError) {
    return error.fault === 'busy' ? tooBusy({ headers: { 'Retry-After': 5 } }) : noSuchFile()
  }
  if (!(error instanceof StorageError)) return error
  ctx.log.error({ err: error }, 'storage')
  if (error.fault === 'full') return storageFull()
  return error.fault === 'unavailable' ? storageDown({ headers: { 'Retry-After': 5 } }) : noSuchFile()
}
