import { type Kith, KithError } from '@kith/client'
import type { Boot } from '../../app/site.ts'
import { checkFile } from '../../app/uploads.ts'

/** Picture or video of a draft. A reload loses the local file but not its upload. */
export type Media = {
  key: string
  name: string
  isVideo?: boolean
  file?: File
  url?: string
  id?: number
  cover?: number
  amount?: number | undefined
  progress?: number
  /** Reason why the last upload failed. */
  error?: unknown
}

const FRAME_TIMEOUT_MS = 10_000

const jpegOf = (canvas: HTMLCanvasElement) =>
  new Promise<Blob>((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture'))), 'image/jpeg', 0.85),
  )

async function frameOf(url: string): Promise<Blob> {
  const video = document.createElement('video')
  video.muted = true
  video.preload = 'auto'
  video.src = url
  await new Promise((resolve, reject) => {
    video.onseeked = resolve
    video.onerror = () => reject(new Error('No video'))
    setTimeout(() => reject(new Error('No frame')), FRAME_TIMEOUT_MS)
    video.onloadeddata = () => {
      video.currentTime = Math.min(1, video.duration / 2)
    }
  })
  const canvas = document.createElement('canvas')
  canvas.width = video.videoWidth
  canvas.height = video.videoHeight
  canvas.getContext('2d')?.drawImage(video, 0, 0)
  return jpegOf(canvas)
}

/** Draws a poster for a video that this browser cannot play, such as H.265. Others may play it. */
function plainPoster(): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = 640
  canvas.height = 360
  const context = canvas.getContext('2d')
  if (context) {
    context.fillStyle = '#232927'
    context.fillRect(0, 0, 640, 360)
    context.fillStyle = '#9baaa5'
    context.beginPath()
    context.moveTo(290, 135)
    context.lineTo(290, 225)
    context.lineTo(370, 180)
    context.fill()
  }
  return jpegOf(canvas)
}

/** Throws before a picture with too many pixels is sent. The server judges a picture that the browser cannot read. */
async function checkPixels(url: string, most: number): Promise<void> {
  const picture = new Image()
  await new Promise((resolve) => {
    picture.onload = resolve
    picture.onerror = resolve
    picture.src = url
  })
  if (picture.naturalWidth * picture.naturalHeight > most) throw new KithError(422, 'picture_too_large', '')
}

export async function uploadMedia(
  api: Kith,
  settings: Boot['settings'],
  { name, file, url, isVideo }: Media & { file: File; url: string },
  onProgress: (part: number) => void,
): Promise<Pick<Media, 'id' | 'cover'>> {
  checkFile(file, settings, 'media')
  if (!isVideo) await checkPixels(url, settings.uploads.max_pixels)
  const { id } = await api.upload(file, {
    name,
    onProgress: ({ sent, total }) => onProgress(total ? sent / total : 0),
  })
  if (!isVideo) return { id }
  const poster = await frameOf(url).catch(plainPoster)
  return { id, cover: (await api.upload(poster, { name: 'cover.jpg' })).id }
}
