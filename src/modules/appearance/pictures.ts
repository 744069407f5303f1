import { icoOf } from '#lib/ico.ts'
import { type Drawing, drawPictures, fileNotUsable, MediaError, readOwnNode } from '#modules/files/index.ts'
import type { SettingChecks, SiteSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { Db, Row } from '#platform/database'
import { invalidField, type Text } from '#platform/errors.ts'
import { defineCache } from '#platform/memory'

type PictureSetting = 'site:logo' | 'site:icon' | 'site:picture'

type Picture = Row<'site_pictures', 'file' | 'mime' | 'width' | 'height' | 'bytes'>

type Kind = {
  /** Minimum width and height of the upload in pixels. */
  least: { width: number; height: number }
  drawings: Readonly<Record<string, Drawing>>
}

/** Launchers cut a maskable icon to a circle of 80 % of its width, and iOS shows transparent icons on black. */
const BEHIND = '#ffffff'

const square = (size: number, more: Partial<Drawing> = {}): Drawing => ({
  width: size,
  height: size,
  fit: 'contain',
  mime: 'image/png',
  ...more,
})

const FAVICONS = [16, 32, 48]

const KINDS: Record<PictureSetting, Kind> = {
  'site:logo': {
    least: { width: 64, height: 64 },
    // Twice the size in the header, for dense screens.
    drawings: { 'logo.png': { width: 480, height: 96, fit: 'inside', mime: 'image/png' } },
  },
  'site:icon': {
    least: { width: 192, height: 192 },
    drawings: {
      'icon-192.png': square(192),
      'icon-512.png': square(512),
      'maskable-512.png': square(512, { part: 0.66, background: BEHIND }),
      'apple-touch-icon.png': square(180, { part: 0.8, background: BEHIND }),
      ...Object.fromEntries(FAVICONS.map((size) => [`favicon-${size}.png`, square(size)])),
    },
  },
  'site:picture': {
    least: { width: 600, height: 315 },
    drawings: {
      'picture.jpg': { width: 1200, height: 630, fit: 'cover', background: BEHIND, mime: 'image/jpeg' },
    },
  },
}

const SETTINGS_OF_PICTURES = Object.keys(KINDS) as PictureSetting[]

const tooSmall = ({ width, height }: Kind['least']): Text => ({
  en: `This picture is too small. It needs at least ${width} × ${height} pixels.`,
  zh: `图片太小，至少需要 ${width} × ${height} 像素。`,
})
const broken: Text = { en: 'This picture cannot be decoded.', zh: '图片无法解码。' }

async function drawAll(bytes: Buffer, setting: PictureSetting): Promise<Picture[]> {
  const { drawings } = KINDS[setting]
  const files = Object.keys(drawings)
  const drawn = await drawPictures(bytes, Object.values(drawings))
  const pictures = drawn.map(({ data, width, height }, n) => {
    const file = files[n] as string
    return { file, mime: drawings[file]?.mime ?? 'image/png', width, height, bytes: data }
  })
  if (setting !== 'site:icon') return pictures
  const sizes = FAVICONS.map((size) => ({
    size,
    png: pictures.find(({ file }) => file === `favicon-${size}.png`)?.bytes as Buffer,
  }))
  const favicon = { file: 'favicon.ico', mime: 'image/x-icon', width: 48, height: 48, bytes: icoOf(sizes) }
  return [...pictures.filter(({ file }) => !file.startsWith('favicon-')), favicon]
}

async function drawNode(ctx: Context, node: string, ownerId: number, setting: PictureSetting) {
  const { least } = KINDS[setting]
  const { width, height, bytes } = await readOwnNode(ctx, node, { ownerId, field: setting })
  if ((width ?? 0) < least.width || (height ?? 0) < least.height) throw invalidField(setting, tooSmall(least))
  try {
    return await drawAll(bytes, setting)
  } catch (error) {
    if (error instanceof MediaError && error.fault === 'broken') throw invalidField(setting, broken)
    throw error
  }
}

/** Deletes the pictures of a setting, and stores those that replace them. */
async function replacePictures(
  ctx: Context,
  tx: Db,
  setting: PictureSetting,
  pictures: Picture[],
): Promise<void> {
  const gone = await tx<
    { file: string }[]
  >`delete from site_pictures where setting = ${setting} returning file`
  for (const { file, mime, width, height, bytes } of pictures)
    await tx`
      insert into site_pictures (file, setting, mime, width, height, bytes)
      values (${file}, ${setting}, ${mime}, ${width}, ${height}, ${bytes})`
  await cacheOf(ctx).announce(tx, ...new Set([...gone, ...pictures].map(({ file }) => file)))
}

/** Draws the pictures of changed settings from uploads of the actor. */
export const pictureSettings: SettingChecks<SiteSettings> = {
  errors: [fileNotUsable],
  check: async () => {},
  async prepare(ctx, actorId, changes, current) {
    const changed = SETTINGS_OF_PICTURES.filter(
      (name) => changes[name] !== undefined && changes[name] !== current[name],
    )
    const drawn: [PictureSetting, Picture[]][] = []
    for (const name of changed) {
      const node = changes[name] ?? null
      drawn.push([name, node === null ? [] : await drawNode(ctx, node, actorId, name)])
    }
    if (drawn.length === 0) return undefined
    return async (tx) => {
      // Without the lock, a change that removes a picture would miss one that another change is just storing.
      await tx`lock table site_pictures in share row exclusive mode`
      for (const [name, pictures] of drawn) await replacePictures(ctx, tx, name, pictures)
    }
  },
}

const cacheOf = defineCache<{ picture: Picture | null }>('site_pictures', { max: 20, ttlMs: 60_000 })

export async function findPicture(ctx: Context, file: string): Promise<Picture | null> {
  if (!FILES.has(file)) return null
  const { picture } = await cacheOf(ctx).get(file, async () => {
    const [found] = await ctx.sql<Picture[]>`
      select file, mime, width, height, bytes from site_pictures where file = ${file}`
    return { picture: found ?? null }
  })
  return picture
}

const FILES = new Set([
  'favicon.ico',
  ...Object.values(KINDS).flatMap(({ drawings }) => Object.keys(drawings)),
])
