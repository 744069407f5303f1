import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { animatedGif, bmp, flatPicture, noisyPicture } from '#test/fixtures/media.ts'
import { transformImage } from './images.ts'

describe('transforms pictures', () => {
  const size = async (bytes: Buffer) => {
    const { width, height, pageHeight } = await sharp(bytes, { animated: true }).metadata()
    return [width, pageHeight ?? height]
  }

  test('fits a picture into the requested bounds without distorting or enlarging it', async () => {
    const bytes = await flatPicture(200, 100).jpeg().toBuffer()
    const sizes: [{ w?: number; h?: number }, number[]][] = [
      [{ w: 50 }, [50, 25]],
      [{ h: 20 }, [40, 20]],
      [{ w: 50, h: 10 }, [20, 10]],
      [{ w: 5_000, h: 5_000 }, [200, 100]],
      [{ w: 1 }, [1, 1]],
    ]
    for (const [rule, expected] of sizes) {
      assert.deepEqual(await size((await transformImage(bytes, 'image/jpeg', rule)).data), expected)
    }
  })

  test('applies the requested quality up to 90', async () => {
    const bytes = await noisyPicture(200, 150).jpeg({ quality: 95 }).toBuffer()
    const at = async (q: number) => (await transformImage(bytes, 'image/jpeg', { q })).data.length
    assert.ok((await at(1)) < (await at(60)))
    assert.equal(await at(100), await at(90))
  })

  test('converts only bitmaps to another format', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'gif'] as const) {
      const done = await transformImage(
        await flatPicture(20, 10).toFormat(format).toBuffer(),
        `image/${format}`,
        { w: 4 },
      )
      assert.equal(done.mime, `image/${format}`)
      assert.equal((await sharp(done.data).metadata()).format, format)
    }
    for (const bits of [1, 8, 24, 32] as const) {
      const done = await transformImage(bmp(20, 10, bits), 'image/bmp', {})
      assert.equal(done.mime, 'image/png')
      const { data, info } = await sharp(done.data).raw().toBuffer({ resolveWithObject: true })
      assert.deepEqual([info.width, info.height], [20, 10])
      assert.deepEqual([...data.subarray(0, 3)], [255, 0, 0], `${bits} bits: top left is red`)
      assert.deepEqual([...data.subarray(-3)], [0, 0, 255], `${bits} bits: bottom right is blue`)
    }
  })

  test('keeps an animation animated unless it is blurred', async () => {
    const gif = await animatedGif(40, 20, 3)
    const smaller = await transformImage(gif, 'image/gif', { w: 20 })
    assert.deepEqual(await size(smaller.data), [20, 10])
    assert.equal((await sharp(smaller.data, { animated: true }).metadata()).pages, 3)
    const still = await transformImage(gif, 'image/gif', { b: 96 })
    assert.equal((await sharp(still.data, { animated: true }).metadata()).pages ?? 1, 1)
  })

  test('hides all detail with a strong blur, also in CMYK and 16-bit pictures and with an alpha channel', async () => {
    const stripes = Buffer.from(Array.from({ length: 240 * 240 }, (_, i) => ((i % 240) & 16 ? 255 : 0)))
    const grey = sharp(stripes, { raw: { width: 240, height: 240, channels: 1 } })
    // Has one colour, so that all its detail is in the alpha channel.
    const shaped = flatPicture(240, 240).joinChannel(stripes, {
      raw: { width: 240, height: 240, channels: 1 },
    })
    const kinds: [string, Buffer][] = [
      ['image/png', await grey.clone().png().toBuffer()],
      ['image/jpeg', await grey.clone().jpeg().toBuffer()],
      ['image/jpeg', await grey.clone().toColourspace('cmyk').jpeg().toBuffer()],
      ['image/png', await grey.clone().ensureAlpha().png().toBuffer()],
      ['image/png', await grey.clone().toColourspace('rgb16').png().toBuffer()],
      ['image/webp', await grey.clone().toColourspace('srgb').webp().toBuffer()],
      ['image/png', await shaped.clone().png().toBuffer()],
      ['image/webp', await shaped.clone().webp().toBuffer()],
    ]
    for (const [mime, bytes] of kinds) {
      const done = await transformImage(bytes, mime, { b: 96 })
      assert.deepEqual(await size(done.data), [240, 240])
      const centre = sharp(done.data).extract({ left: 60, top: 60, width: 120, height: 120 })
      const { channels } = await sharp(await centre.png().toBuffer()).stats()
      for (const [n, { stdev }] of channels.entries())
        assert.ok(stdev < 12, `${mime}, channel ${n}: ${stdev}`)
    }
    const detail = async (bytes: Buffer, channel: number) =>
      (await sharp((await transformImage(bytes, 'image/png', { b: 1 })).data).stats()).channels[channel]
        ?.stdev ?? 0
    assert.ok((await detail(kinds[0]![1], 0)) > 100)
    assert.ok((await detail(await shaped.clone().png().toBuffer(), 3)) > 100)
  })

  test('completes 40 transformations that are requested concurrently', async () => {
    const bytes = await noisyPicture(200, 150).jpeg().toBuffer()
    const done = await Promise.all(
      Array.from({ length: 40 }, (_, i) => transformImage(bytes, 'image/jpeg', { w: 10 + i })),
    )
    assert.deepEqual(
      await Promise.all(done.map(async ({ data }) => (await size(data))[0])),
      Array.from({ length: 40 }, (_, i) => 10 + i),
    )
  })

  test('rejects a picture when the queue of image jobs is full', async () => {
    const bytes = await flatPicture(20, 10).png().toBuffer()
    const results = await Promise.allSettled(
      Array.from({ length: 400 }, () => transformImage(bytes, 'image/png', { w: 5 })),
    )
    const faults = results.flatMap((r) => (r.status === 'rejected' ? [r.reason.fault] : []))
    assert.ok(faults.length > 0 && faults.length < 300)
    assert.ok(faults.every((fault) => fault === 'busy'))
    await transformImage(bytes, 'image/png', { w: 5 })
  })

  test('rejects undecodable bytes as broken', async () => {
    const bitmap = transformImage(Buffer.from('no picture'), 'image/bmp', { w: 5 })
    await assert.rejects(bitmap, { fault: 'broken', message: 'The bitmap cannot be decoded' })
    const broken = transformImage(Buffer.from('no picture'), 'image/png', { w: 5 })
    await assert.rejects(broken, { name: 'MediaError', fault: 'broken' })
  })
})
