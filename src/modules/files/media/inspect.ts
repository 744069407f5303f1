import { fileTypeFromBuffer } from 'file-type'
import { isMp3, isPlayableFlac, isPlayableWav } from './audio.ts'
import { readBmpHeader } from './bmp.ts'
import { MediaError } from './errors.ts'
import { readMp4 } from './mp4.ts'
import { loadSharp, maxPixels } from './sharp.ts'

export type Media = {
  mime: string
  extension: string
  kind: 'image' | 'video' | 'audio'
  width: number | null
  height: number | null
}

type Image = 'jpeg' | 'png' | 'gif' | 'webp'

const images: Record<string, Image> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/apng': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** Types that `inspectMedia` accepts, under the names that browsers give them. */
export const acceptedTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/bmp',
  'video/mp4',
  'video/x-m4v',
  'audio/mpeg',
  'audio/mp4',
  'audio/x-m4a',
  'audio/ogg',
  'audio/flac',
  'audio/wav',
]

const mp4Types = new Set(['video/mp4', 'video/x-m4v', 'audio/mp4', 'audio/x-m4a'])

/**
 * Detects accepted media by content (files-1), or returns null. Throws `too_large` for a picture over 50
 * megapixels.
 */
export async function inspectMedia(bytes: Buffer): Promise<Media | null> {
  // Treats a malformed file as no media, because the detector throws on such a file.
  const detected = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (!detected) return null
  const mime = detected.mime.split(';')[0] ?? ''
  const image = images[mime]
  if (image) return inspectImage(bytes, image)
  if (mime === 'image/bmp') return inspectBmp(bytes)
  if (mp4Types.has(mime)) return inspectMp4(bytes)
  if (mime === 'audio/mpeg') return isMp3(bytes) ? audio('audio/mpeg', 'mp3') : null
  if (mime === 'audio/ogg') return audio('audio/ogg', 'ogg')
  if (mime === 'audio/flac') return isPlayableFlac(bytes) ? audio('audio/flac', 'flac') : null
  if (mime === 'audio/wav') return isPlayableWav(bytes) ? audio('audio/wav', 'wav') : null
  return null
}

async function inspectImage(bytes: Buffer, format: Image): Promise<Media | null> {
  const sharp = await loadSharp()
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (metadata?.format !== format || !metadata.autoOrient.width || !metadata.autoOrient.height) return null
  return picture(format, format === 'jpeg' ? 'jpg' : format, metadata.autoOrient)
}

function inspectBmp(bytes: Buffer): Media | null {
  const header = readBmpHeader(bytes)
  return header && picture('bmp', 'bmp', header)
}

function inspectMp4(bytes: Buffer): Media | null {
  const movie = readMp4(bytes)
  if (!movie) return null
  if (!movie.hasVideo) return movie.hasAudio ? audio('audio/mp4', 'm4a') : null
  return { mime: 'video/mp4', extension: 'mp4', kind: 'video', width: movie.width, height: movie.height }
}

function audio(mime: string, extension: string): Media {
  return { mime, extension, kind: 'audio', width: null, height: null }
}

type Size = { width: number; height: number }

function picture(format: string, extension: string, { width, height }: Size): Media {
  if (width * height > maxPixels) throw new MediaError('too_large', 'The picture has too many pixels')
  return { mime: `image/${format}`, extension, kind: 'image', width, height }
}
