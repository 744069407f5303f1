import type { Context } from '#platform/context.ts'
import { apiError, type DeclaredError, invalidField, type Text } from '#platform/errors.ts'
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

export const sentences = {
  missing: { en: 'Choose a file to upload.', zh: '请选择要上传的文件。' },
  tooLong: { en: 'The file is too large.', zh: '文件过大。' },
  tooManyPixels: { en: 'The picture has more than 50 megapixels.', zh: '图片超过五千万像素。' },
  broken: { en: 'The file is damaged.', zh: '文件已损坏。' },
  notMedia: {
    en: 'Only JPEG, PNG, GIF, WebP and BMP pictures, MP4 video and MP3, M4A, Ogg, FLAC and WAV sound are accepted.',
    zh: '仅支持 JPEG、PNG、GIF、WebP、BMP 图片，MP4 视频以及 MP3、M4A、Ogg、FLAC、WAV 音频。',
  },
  notYours: {
    en: 'Every file must be an upload of yours that is not used elsewhere.',
    zh: '文件必须由本人上传且未被使用。',
  },
  wrongKind: { en: 'A file of this kind cannot be used here.', zh: '此处不能使用该类型的文件。' },
} satisfies Record<string, Text>

/** 422 on the field that names a file which is unknown, used elsewhere or somebody else's; declared by routes. */
export const fileNotUsable: DeclaredError = { status: 422, code: 'file_not_usable', text: sentences.notYours }

/** What a client is told when media or storage refuse: 422 on `field` where the file is at fault, else 5xx. */
export function uploadFault(ctx: Context, error: unknown, field: string): unknown {
  if (error instanceof MediaError) {
    if (error.fault === 'busy') return tooBusy({ headers: { 'Retry-After': 5 } })
    const sentence = error.fault === 'too_large' ? sentences.tooManyPixels : sentences.broken
    return invalidField(field, sentence, error.fault === 'too_large' ? 'picture_too_large' : 'file_broken')
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
