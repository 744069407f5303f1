import type { Sharp } from 'sharp'
import { decodeBmp, trimBmp } from './bmp.ts'
import { MediaError } from './errors.ts'
import { type ImageRequester, runImageUpload, runVariant } from './queue.ts'
import { loadSharp, maxPixels } from './sharp.ts'
import { strippers } from './strip.ts'

/** Maximum width and height in pixels, quality from 1 to 90, and blur from 0 to 100. */
export type ImageRule = {
  w?: number | undefined
  h?: number | undefined
  q?: number | undefined
  b?: number | undefined
}

const secondsAllowed = 20

/**
 * Removes metadata such as the location, and rotates the pixels upright. Throws `broken` for a picture that
 * cannot be decoded.
 */
export async function cleanImage(bytes: Buffer, mime: string, turn: ImageRequester = {}): Promise<Buffer> {
  if (mime === 'image/bmp') return trimBmp(bytes)
  return runImageUpload(turn, async () => {
    const sharp = await loadSharp()
    try {
      const { orientation = 1, pages = 1 } = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
      const stripped = strippers[mime]?.(bytes) ?? null
      // Treats animations as upright, because image viewers ignore the orientation of animations.
      const upright = orientation === 1 || pages > 1
      if (stripped && upright) {
        // Decodes the picture to detect damage, because the removal of metadata accepts a damaged picture.
        await sharp(stripped, { failOn: 'error', limitInputPixels: maxPixels })
          .resize(8, 8, { fit: 'fill', kernel: 'nearest' })
          .timeout({ seconds: secondsAllowed })
          .raw()
          .toBuffer()
        return stripped
      }
      if (pages > 1) throw new MediaError('broken', 'The animation cannot be decoded')
      const turned = sharp(bytes, { failOn: 'error', limitInputPixels: maxPixels })
        .autoOrient()
        .keepIccProfile()
      return await encode(turned, mime, 92).timeout({ seconds: secondsAllowed }).toBuffer()
    } catch (error) {
      throw mediaFault(error)
    }
  })
}

/**
 * Scales, blurs and re-encodes a picture. Bitmaps become PNG files, and blurred or huge animations become
 * still pictures.
 */
export async function transformImage(
  source: Buffer | (() => Promise<Buffer>),
  mime: string,
  rule: ImageRule,
  turn: ImageRequester = {},
): Promise<{ data: Buffer; mime: string }> {
  return runVariant(turn, async () => {
    // Reads the picture only when the queue runs the job, so that waiting pictures do not fill the memory.
    const bytes = Buffer.isBuffer(source) ? source : await source()
    try {
      const quality = Math.min(90, Math.max(1, rule.q ?? 85))
      const image = await openImage(bytes, mime, !rule.b)
      const size = fit(image.width, image.height, rule)
      const output = mime === 'image/bmp' ? 'image/png' : mime
      const shown = rule.b
        ? await blurred(image.open(), size, rule.b)
        : image.open().resize(size.width, size.height, { fit: 'fill' })
      const data = await encode(shown, output, quality).timeout({ seconds: secondsAllowed }).toBuffer()
      return { data, mime: output }
    } catch (error) {
      throw mediaFault(error)
    }
  })
}

async function openImage(bytes: Buffer, mime: string, mayMove: boolean) {
  const sharp = await loadSharp()
  if (mime === 'image/bmp') {
    const raw = decodeBmp(bytes)
    if (!raw) throw new MediaError('broken', 'The bitmap cannot be decoded')
    const { data, width, height, full } = raw
    return { ...full, open: () => sharp(data, { raw: { width, height, channels: 3 } }) }
  }
  const metadata = await sharp(bytes, { limitInputPixels: maxPixels }).metadata()
  const { width, height } = metadata.autoOrient
  const animated = mayMove && (metadata.pages ?? 1) * width * height <= maxPixels
  const open = () => sharp(bytes, { animated, failOn: 'error', limitInputPixels: maxPixels }).autoOrient()
  return { width, height, open }
}

type Size = { width: number; height: number }

function fit(width: number, height: number, { w, h }: ImageRule): Size {
  const scale = Math.min(1, (w ?? width) / width, (h ?? height) / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/**
 * Blurs in proportion to the size, so that a thumbnail hides as much as the original. Blurs a reduced copy,
 * because a wide blur of a large picture takes seconds.
 */
async function blurred(image: Sharp, size: Size, strength: number): Promise<Sharp> {
  const sharp = await loadSharp()
  const sigma = (strength / 100) * (Math.max(size.width, size.height) / 16)
  const shrink = Math.max(1, sigma / 3)
  const width = Math.max(1, Math.round(size.width / shrink))
  const height = Math.max(1, Math.round(size.height / shrink))
  const small = image.resize(width, height, { fit: 'fill' }).toColourspace('srgb')
  const { data, info } = await small
    .blur(Math.max(0.3, sigma / shrink))
    .timeout({ seconds: secondsAllowed })
    .raw()
    .toBuffer({ resolveWithObject: true })
  const channels = info.channels === 4 ? 4 : 3
  if (data.length !== width * height * channels) throw new MediaError('broken', 'Not a colour picture')
  return sharp(data, { raw: { width, height, channels } }).resize(size.width, size.height, { fit: 'fill' })
}

function encode(image: Sharp, mime: string, quality: number): Sharp {
  if (mime === 'image/jpeg') return image.jpeg({ quality })
  if (mime === 'image/webp') return image.webp({ quality })
  if (mime === 'image/gif') return image.gif()
  return image.png()
}

export function mediaFault(error: unknown): MediaError {
  return error instanceof MediaError
    ? error
    : new MediaError('broken', 'The picture cannot be decoded', error)
}
