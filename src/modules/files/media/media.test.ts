import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import {
  animatedGif,
  bmp,
  flac,
  flatPicture,
  mp3,
  mp4,
  noisyPicture,
  ogg,
  photo,
  wav,
} from '#test/fixtures/media.ts'
import { cleanImage } from './images.ts'
import { inspectMedia } from './inspect.ts'
import { cleanMp4 } from './mp4-clean.ts'

const image = (mime: string, extension: string, width: number, height: number) => {
  return { mime, extension, kind: 'image', width, height }
}
const altered = (bytes: Buffer, alter: (bytes: Buffer) => unknown) => {
  alter(bytes)
  return bytes
}
const audio = (mime: string, extension: string) => {
  return { mime, extension, kind: 'audio', width: null, height: null }
}

describe('detects media by content', async () => {
  test('returns the dimensions of pictures', async () => {
    const flat = flatPicture(30, 20)
    assert.deepEqual(await inspectMedia(await flat.jpeg().toBuffer()), image('image/jpeg', 'jpg', 30, 20))
    assert.deepEqual(await inspectMedia(await flat.png().toBuffer()), image('image/png', 'png', 30, 20))
    assert.deepEqual(await inspectMedia(await flat.webp().toBuffer()), image('image/webp', 'webp', 30, 20))
    assert.deepEqual(await inspectMedia(await animatedGif(12, 8, 3)), image('image/gif', 'gif', 12, 8))
    assert.deepEqual(await inspectMedia(bmp(5, 3, 24)), image('image/bmp', 'bmp', 5, 3))
  })

  test('returns the displayed size of a rotated photo', async () => {
    assert.deepEqual(await inspectMedia(await photo({ orientation: 6 })), image('image/jpeg', 'jpg', 40, 60))
  })

  test('returns the displayed size of a video', async () => {
    const film = (width: number | null, height: number | null) => {
      return { mime: 'video/mp4', extension: 'mp4', kind: 'video', width, height }
    }
    assert.deepEqual(await inspectMedia(mp4({ width: 640, height: 360 })), film(640, 360))
    assert.deepEqual(await inspectMedia(mp4({ width: 640, height: 360, turned: true })), film(360, 640))
    assert.deepEqual(await inspectMedia(mp4({ width: 0, height: 0 })), film(null, null))
  })

  test('detects audio in every accepted format', async () => {
    assert.deepEqual(await inspectMedia(mp4({ brand: 'M4A ', soundOnly: true })), audio('audio/mp4', 'm4a'))
    assert.deepEqual(await inspectMedia(mp4({ soundOnly: true })), audio('audio/mp4', 'm4a'))
    assert.deepEqual(await inspectMedia(mp3()), audio('audio/mpeg', 'mp3'))
    assert.deepEqual(await inspectMedia(mp3({ tagged: true })), audio('audio/mpeg', 'mp3'))
    assert.deepEqual(await inspectMedia(ogg()), audio('audio/ogg', 'ogg'))
    assert.deepEqual(await inspectMedia(flac()), audio('audio/flac', 'flac'))
    assert.deepEqual(await inspectMedia(wav()), audio('audio/wav', 'wav'))
  })

  const png = await flatPicture(30, 20).png().toBuffer()
  const refused: Record<string, Buffer> = {
    'an empty file': Buffer.alloc(0),
    'one byte': Buffer.from([0xff]),
    HTML: Buffer.from('<!doctype html><script>alert(1)</script>'),
    SVG: Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    'a PNG signature before HTML': Buffer.concat([
      png.subarray(0, 8),
      Buffer.from('<script>alert(1)</script>'),
    ]),
    'a JPEG signature before HTML': Buffer.from('\xff\xd8\xff\xe0<script>alert(1)</script>', 'latin1'),
    'a GIF signature before HTML': Buffer.from('GIF89a/*<script>alert(1)</script>'),
    PDF: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n'),
    TIFF: await flatPicture(3, 3).tiff().toBuffer(),
    AVIF: await flatPicture(16, 16).avif().toBuffer(),
    QuickTime: mp4({ brand: 'qt  ' }),
    'a truncated MP4': mp4({}).subarray(0, -20),
    'an MP4 without a `moov` box': mp4({}).subarray(0, 24),
    'an MP3 frame header without a second frame': Buffer.concat([
      Buffer.from([0xff, 0xfb, 0x90, 0x64]),
      Buffer.alloc(2_000, 0x20),
    ]),
    'an ID3 tag before HTML': Buffer.concat([mp3({ tagged: true }).subarray(0, 20), Buffer.from('<script>')]),
    'a WAV without samples': wav().subarray(0, 36),
    'a FLAC without a STREAMINFO block': Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(60, 0x41)]),
    'a truncated bitmap header': bmp(5, 3, 24).subarray(0, 30),
    'a bitmap with missing pixels': bmp(50, 50, 24).subarray(0, 2_000),
    'a run-length encoded bitmap': bmp(5, 3, 24, { compression: 1 }),
    'a bitmap of 16 bits': altered(bmp(5, 3, 24), (bytes) => bytes.writeUInt16LE(16, 28)),
    'a bitmap of height 0': altered(bmp(5, 3, 24), (bytes) => bytes.writeInt32LE(0, 22)),
    'a bitmap of negative width': altered(bmp(5, 3, 24), (bytes) => bytes.writeInt32LE(-5, 18)),
    'a bitmap with a pixel offset inside its header': altered(bmp(5, 3, 24), (bytes) =>
      bytes.writeUInt32LE(14, 10),
    ),
    'a bitmap header before HTML': Buffer.concat([Buffer.from('BM'), Buffer.from('<script>'.repeat(9))]),
  }
  for (const [name, bytes] of Object.entries(refused)) {
    test(`rejects ${name}`, async () => {
      assert.equal(await inspectMedia(bytes), null)
    })
  }

  test('rejects a picture over 50 megapixels as too large', async () => {
    const huge = await flatPicture(8_000, 6_251).png().toBuffer()
    await assert.rejects(inspectMedia(huge), { name: 'MediaError', fault: 'too_large' })
    await assert.rejects(inspectMedia(bmp(8_000, 6_251, 1)), { fault: 'too_large' })
    assert.equal((await inspectMedia(bmp(8_000, 6_250, 1)))?.height, 6_250)
  })
})

describe('removes metadata from pictures and videos', () => {
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    test(`removes metadata from ${format} without changing its pixels`, async () => {
      const bytes = await photo({ format })
      const before = await sharp(bytes).metadata()
      assert.ok(before.exif?.includes('Kith Camera'))
      const cleaned = await cleanImage(bytes, `image/${format}`)
      const after = await sharp(cleaned).metadata()
      assert.deepEqual([after.exif, after.xmp, after.iptc], [undefined, undefined, undefined])
      assert.ok(!cleaned.includes('Kith Camera') && !cleaned.includes('GPSLatitude'))
      assert.deepEqual(await sharp(cleaned).raw().toBuffer(), await sharp(bytes).raw().toBuffer())
    })

    test(`rotates a ${format} upright`, async () => {
      const cleaned = await cleanImage(await photo({ format, orientation: 6 }), `image/${format}`)
      const after = await sharp(cleaned).metadata()
      assert.deepEqual([after.width, after.height, after.orientation ?? 1], [40, 60, 1])
      assert.ok(!cleaned.includes('Kith Camera'))
    })

    test(`rejects a truncated ${format} as broken`, async () => {
      const bytes = await noisyPicture(200, 150).toFormat(format).toBuffer()
      const half = bytes.subarray(0, bytes.length / 2)
      await assert.rejects(cleanImage(half, `image/${format}`), { name: 'MediaError', fault: 'broken' })
    })
  }

  test('keeps the colour profile of a picture', async () => {
    const bytes = await flatPicture(20, 20).withIccProfile('p3').jpeg().toBuffer()
    assert.ok((await sharp(await cleanImage(bytes, 'image/jpeg')).metadata()).icc)
  })

  test('removes data hidden after the end of a picture', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
      const bytes = Buffer.concat([
        await flatPicture(20, 20).toFormat(format).toBuffer(),
        Buffer.from('<script>'),
      ])
      assert.ok(!(await cleanImage(bytes, `image/${format}`)).includes('<script>'), format)
    }
  })

  test('removes metadata from an animation without dropping frames', async () => {
    const gif = await animatedGif(12, 8, 3)
    const commented = Buffer.concat([
      gif.subarray(0, -1),
      Buffer.from('\x21\xfe\x0bKith Camera\x00', 'latin1'),
      gif.subarray(-1),
    ])
    const cleaned = await cleanImage(commented, 'image/gif')
    const after = await sharp(cleaned, { animated: true }).metadata()
    assert.deepEqual([after.pages, after.loop, after.pageHeight], [3, 0, 8])
    assert.ok(!cleaned.includes('Kith Camera'))

    const webp = await sharp(gif, { animated: true })
      .webp()
      .withExif({ IFD0: { Model: 'Kith Camera' } })
      .toBuffer()
    const cleanedWebp = await cleanImage(webp, 'image/webp')
    assert.equal((await sharp(cleanedWebp, { animated: true }).metadata()).pages, 3)
    assert.ok(webp.includes('Kith Camera') && !cleanedWebp.includes('Kith Camera'))
  })

  test('rejects a truncated animation as broken', async () => {
    const gif = await animatedGif(12, 8, 3)
    await assert.rejects(cleanImage(gif.subarray(0, -1), 'image/gif'), { fault: 'broken' })
  })

  test('does not change a bitmap without hidden data', async () => {
    const bytes = bmp(5, 3, 24)
    assert.deepEqual(await cleanImage(bytes, 'image/bmp'), bytes)
  })

  test('removes the location from a video and keeps its dimensions', async () => {
    const film = mp4({ width: 640, height: 360, place: '+48.2082+016.3738/' })
    const cleaned = cleanMp4(film)
    assert.equal(cleaned.length, film.length)
    assert.ok(film.includes('+48.2082') && !cleaned.includes('+48.2082'))
    assert.deepEqual(await inspectMedia(cleaned), await inspectMedia(film))
  })
})
