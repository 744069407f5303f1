import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { animatedGif, bmp, flac, flatPicture, mp3, mp4Box, wav } from '#test/fixtures/media.ts'
import { cleanImage } from './images.ts'
import { inspectMedia } from './inspect.ts'
import { listBoxes } from './mp4.ts'
import { cleanMp4 } from './mp4-clean.ts'
import { readDuration } from './sound.ts'
import { soundCleaners } from './sound-clean.ts'

const recording = (name: string) =>
  readFile(new URL(`../../../../test/fixtures/recordings/${name}`, import.meta.url))
const SECRETS = /SECRET|48\.85|Lavf|Handler/
const hasSecrets = (bytes: Buffer) => SECRETS.test(bytes.toString('latin1'))
const cleanerOf = (mime: string) => soundCleaners[mime] ?? cleanMp4
const latin1 = (text: string) => Buffer.from(text, 'latin1')
const secret = latin1('SECRET 48.8577,2.2950')

const mediaOf = (bytes: Buffer) => {
  const box = listBoxes(bytes, 0, bytes.length)?.find(({ type }) => type === 'mdat')
  return box && bytes.subarray(box.body, box.end)
}
const id3 = (frame: string) => {
  const body = Buffer.concat([latin1(`${frame}\0\0\0${String.fromCharCode(secret.length)}\0\0`), secret])
  return Buffer.concat([latin1(`ID3\x03\0\0\0\0\0${String.fromCharCode(body.length)}`), body])
}
const riffPart = (id: string) => {
  const head = Buffer.alloc(8)
  head.write(id, 'latin1')
  head.writeUInt32LE(secret.length, 4)
  return Buffer.concat([head, secret, Buffer.alloc(secret.length % 2)])
}
const oggChecksum = (page: Buffer) => {
  let sum = 0
  for (const byte of page) {
    sum ^= byte << 24
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1
  }
  return sum >>> 0
}

describe('removes metadata from recordings made by ffmpeg', () => {
  for (const name of [
    ...['place.m4a', 'tagged.mp3', 'described.wav', 'tagged.flac', 'vorbis.ogg', 'opus.ogg', 'flac.ogg'],
    ...['subtitled.mp4', 'fragmented.mp4'],
  ])
    test(`removes location and titles from ${name} without changing its duration`, async () => {
      const bytes = await recording(name)
      const media = await inspectMedia(bytes)
      assert.ok(media && hasSecrets(bytes))
      const cleaned = cleanerOf(media.mime)(bytes)
      assert.equal(SECRETS.exec(cleaned.toString('latin1'))?.[0], undefined)
      assert.deepEqual(await inspectMedia(cleaned), media)
      const [before = 0, after = 0] = await Promise.all([
        readDuration(bytes, media.mime),
        readDuration(cleaned, media.mime),
      ])
      assert.ok(after > 0 && Math.abs(before - after) < 0.06, `${before} ${after}`)
      assert.deepEqual(cleanerOf(media.mime)(cleaned), cleaned)
    })

  test('keeps every audio sample', async () => {
    const m4a = await recording('place.m4a')
    assert.deepEqual(mediaOf(cleanMp4(m4a)), mediaOf(m4a))
    const pcm = await recording('described.wav')
    const cleaned = cleanerOf('audio/wav')(pcm)
    const samples = (bytes: Buffer) => {
      const at = bytes.indexOf('data')
      return bytes.subarray(at, at + 8 + bytes.readUInt32LE(at + 4))
    }
    assert.deepEqual(samples(cleaned), samples(pcm))
    assert.equal(cleaned.readUInt32LE(4), cleaned.length - 8)
    const frames = cleanerOf('audio/mpeg')(await recording('tagged.mp3'))
    assert.ok((await recording('tagged.mp3')).includes(frames))
  })

  test('writes a valid checksum into every Ogg page', async () => {
    for (const name of ['vorbis.ogg', 'opus.ogg', 'flac.ogg']) {
      const cleaned = cleanerOf('audio/ogg')(await recording(name))
      const starts: number[] = []
      for (let at = cleaned.indexOf('OggS'); at >= 0; at = cleaned.indexOf('OggS', at + 4)) starts.push(at)
      assert.ok(starts.length > 1)
      starts.forEach((start, n) => {
        const page = Buffer.from(cleaned.subarray(start, starts[n + 1]))
        const sum = page.readUInt32LE(22)
        page.writeUInt32LE(0, 22)
        assert.equal(oggChecksum(page), sum, name)
      })
    }
  })
})

describe('removes metadata from videos', () => {
  test('removes metadata, camera motion and text tracks together with their samples', async () => {
    for (const name of ['subtitled.mp4', 'fragmented.mp4']) {
      const original = await recording(name)
      for (const [handler, codec] of [
        ['meta', 'gpmd'],
        ['meta', 'mett'],
        ['camm', 'camm'],
        ['text', 'text'],
      ] as const) {
        const film = Buffer.from(original)
        film.write(handler, film.indexOf('sbtl'), 'latin1')
        film.write(codec, film.indexOf('tx3g'), 'latin1')
        const cleaned = cleanMp4(film)
        assert.ok(!cleaned.includes('SECRETSUB') && !cleaned.includes(codec), `${name} ${codec}`)
        const [before, after] = [mediaOf(film), mediaOf(cleaned)]
        const changed = before?.filter((byte, n) => byte !== after?.[n]).length ?? 0
        assert.ok(changed <= 'SECRETSUB 48.8577,2.2950'.length + 2, `${changed} bytes of samples changed`)
      }
    }
  })

  test('removes descriptive boxes inside and outside the `moov` box', async () => {
    const film = await recording('place.m4a')
    const boxes = ['udta', 'meta', 'uuid', 'gps ', 'free', 'XMP_'].map((type) => mp4Box(type, secret))
    const index = listBoxes(film, 0, film.length)?.find(({ type }) => type === 'moov')
    assert.ok(index)
    const [before, moov, after] = [
      film.subarray(0, index.start),
      film.subarray(index.body, index.end),
      film.subarray(index.end),
    ]
    const whole = Buffer.concat([before, mp4Box('moov', moov, ...boxes), after, ...boxes])
    const cleaned = cleanMp4(whole)
    assert.equal(cleaned.length, whole.length)
    assert.ok(!hasSecrets(cleaned))
    assert.deepEqual(await inspectMedia(cleaned), await inspectMedia(whole))
  })
})

describe('removes metadata from sound files', () => {
  test('removes tags of an MP3 before, between and after its frames', () => {
    const plain = mp3()
    const frame = plain.subarray(0, plain.length / 3)
    const behind = [latin1('APETAGEX'), secret, latin1('LYRICSBEGIN'), secret, latin1('TAG'), secret]
    const tagged = Buffer.concat([
      ...['PRIV', 'GEOB', 'TXXX', 'COMM'].map(id3),
      ...[frame, frame, id3('GEOB'), frame, frame, ...behind],
    ])
    assert.deepEqual(cleanerOf('audio/mpeg')(tagged), Buffer.concat([frame, frame, frame, frame]))
  })

  test('removes descriptive chunks before and after the samples of a WAV file', () => {
    const plain = wav()
    const parts = ['LIST', 'bext', 'iXML', '_PMX', 'id3 ', 'JUNK', 'cart'].map(riffPart)
    const bytes = Buffer.concat([plain.subarray(0, 12), ...parts, plain.subarray(12), ...parts])
    bytes.writeUInt32LE(bytes.length - 8, 4)
    assert.deepEqual(cleanerOf('audio/wav')(bytes), plain)
  })

  test('removes descriptive metadata blocks from a FLAC file', () => {
    const described = Buffer.from(flac())
    described.writeUInt8(0, 4)
    const blocks = [2, 4, 5, 6, 1 | 0x80].map((type) =>
      Buffer.concat([Buffer.from([type, 0, 0, secret.length]), secret]),
    )
    const frames = Buffer.from([0xff, 0xf8, 1, 2, 3])
    assert.deepEqual(
      cleanerOf('audio/flac')(Buffer.concat([described, ...blocks, frames])),
      Buffer.concat([flac(), frames]),
    )
  })
})

describe('removes metadata from pictures', () => {
  const jpegPart = (marker: number, ...content: Buffer[]) => {
    const body = Buffer.concat(content)
    const head = Buffer.from([0xff, marker, 0, 0])
    head.writeUInt16BE(body.length + 2, 2)
    return Buffer.concat([head, body])
  }

  test('removes every segment with metadata from a JPEG', async () => {
    const plain = await flatPicture(30, 20).jpeg().toBuffer()
    const names = [
      'Exif\0\0',
      'http://ns.adobe.com/xap/1.0/\0',
      'MPF\0',
      'Photoshop 3.0\0',
      'JFXX\0\x10',
      'Ducky',
    ]
    const thumbnail = Buffer.concat([latin1('JFIF\0\x01\x01\0\0\x01\0\x01\x02\x04'), secret, Buffer.alloc(3)])
    const parts = [0xe0, 0xe1, 0xe2, 0xeb, 0xed, 0xee, 0xfe].flatMap((marker) =>
      names.map((name) => jpegPart(marker, latin1(name), secret)),
    )
    const bytes = Buffer.concat([
      plain.subarray(0, 2),
      jpegPart(0xe0, thumbnail),
      ...parts,
      plain.subarray(2),
      secret,
    ])
    const cleaned = await cleanImage(bytes, 'image/jpeg')
    assert.ok(!hasSecrets(cleaned))
    assert.deepEqual(await sharp(cleaned).raw().toBuffer(), await sharp(plain).raw().toBuffer())
  })

  test('removes every chunk with metadata from a PNG', async () => {
    const png = await flatPicture(30, 20).png().toBuffer()
    const part = (type: string) => {
      const head = Buffer.alloc(8)
      head.writeUInt32BE(secret.length)
      head.write(type, 4, 'latin1')
      return Buffer.concat([head, secret, Buffer.alloc(4)])
    }
    const texts = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'tIME', 'prVt'].map(part)
    const described = Buffer.concat([png.subarray(0, 33), ...texts, png.subarray(33), secret])
    assert.ok(!hasSecrets(await cleanImage(described, 'image/png')))
  })

  test('removes comments and XMP from a GIF', async () => {
    const gif = await animatedGif(12, 8, 2)
    const at = 13 + ((gif[10] ?? 0) & 0x80 ? 3 * 2 ** (((gif[10] ?? 0) & 7) + 1) : 0)
    const block = (label: number, ...pieces: Buffer[]) =>
      Buffer.concat([
        Buffer.from([0x21, label]),
        ...pieces.map((piece) => Buffer.concat([Buffer.from([piece.length]), piece])),
        Buffer.from([0]),
      ])
    const comments = [block(0xfe, secret), block(0xff, latin1('XMP DataXMP'), secret)]
    const commented = Buffer.concat([gif.subarray(0, at), ...comments, gif.subarray(at), secret])
    assert.ok(!hasSecrets(await cleanImage(commented, 'image/gif')))
  })

  test('removes data after the pixels of a bitmap', async () => {
    const picture = bmp(5, 3, 24)
    assert.deepEqual(await cleanImage(Buffer.concat([picture, secret]), 'image/bmp'), picture)
  })

  test('rejects HEIC, because its location cannot be removed', async () => {
    const heic = Buffer.concat([mp4Box('ftyp', latin1('heic\0\0\0\0mif1heic')), mp4Box('meta', secret)])
    assert.equal(await inspectMedia(heic), null)
  })
})
