import { mediaFault } from './images.ts'
import { type ImageRequester, runImageUpload } from './queue.ts'
import { loadSharp, maxPixels } from './sharp.ts'

export type Drawing = {
  width: number
  height: number
  /** `inside` keeps the proportions and never enlarges, `cover` cuts what exceeds them, `contain` adds a margin. */
  fit: 'inside' | 'cover' | 'contain'
  /** Part of the width that a contained picture fills. */
  part?: number
  /** Colour behind a transparent picture. */
  background?: string
  mime: 'image/png' | 'image/jpeg'
}

export type Drawn = { data: Buffer; width: number; height: number }

const secondsAllowed = 20
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 }

/** Draws a picture in several sizes. Uses the first frame of an animation. */
export async function drawPictures(
  bytes: Buffer,
  drawings: readonly Drawing[],
  turn: ImageRequester = {},
): Promise<Drawn[]> {
  return runImageUpload(turn, async () => {
    const sharp = await loadSharp()
    const drawn: Drawn[] = []
    for (const { width, height, fit, part = 1, background, mime } of drawings) {
      const inner = { width: Math.round(width * part), height: Math.round(height * part) }
      const margin = { x: Math.floor((width - inner.width) / 2), y: Math.floor((height - inner.height) / 2) }
      try {
        const scaled = sharp(bytes, { failOn: 'error', limitInputPixels: maxPixels, pages: 1 })
          .autoOrient()
          .toColourspace('srgb')
          .resize({ ...inner, fit, background: TRANSPARENT, withoutEnlargement: fit === 'inside' })
        const framed =
          part === 1
            ? scaled
            : scaled.extend({
                left: margin.x,
                right: width - inner.width - margin.x,
                top: margin.y,
                bottom: height - inner.height - margin.y,
                background: TRANSPARENT,
              })
        // Sharp would flatten before it adds the margin, so the frame is drawn first.
        const filled =
          background === undefined
            ? framed
            : sharp(await framed.png().timeout({ seconds: secondsAllowed }).toBuffer()).flatten({
                background,
              })
        const encoded = mime === 'image/jpeg' ? filled.jpeg({ quality: 85 }) : filled.png({ palette: true })
        const { data, info } = await encoded
          .timeout({ seconds: secondsAllowed })
          .toBuffer({ resolveWithObject: true })
        drawn.push({ data, width: info.width, height: info.height })
      } catch (error) {
        throw mediaFault(error)
      }
    }
    return drawn
  })
}
