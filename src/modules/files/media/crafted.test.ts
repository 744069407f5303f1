import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { mp4, mp4Box } from '#test/fixtures/media.ts'
import { isMp3, isPlayableWav } from './audio.ts'
import { readMp4 } from './mp4.ts'
import { cleanMp4 } from './mp4-clean.ts'
import { strippers } from './strip.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const parts = (part: string, count = 200_000) => Buffer.alloc(part.length * count, latin1(part))

test('rejects a file with 200,000 parts', () => {
  const crafted: Record<string, Buffer[]> = {
    'image/png': [latin1('\x89PNG\r\n\x1a\n'), parts('\0\0\0\0IDATcrc!'), latin1('\0\0\0\0IENDcrc!')],
    'image/gif': [latin1('GIF89a\0\0\0\0\0\0\0'), parts('\x21\xf9\0'), latin1(';')],
    'image/jpeg': [latin1('\xff\xd8'), parts('\xff\xe0\0\x02'), latin1('\xff\xd9')],
    'image/webp': [latin1('RIFF\xff\xff\xff\x02WEBP'), parts('VP8 \0\0\0\0')],
  }
  for (const [mime, pieces] of Object.entries(crafted)) {
    // A failed deepEqual would print every byte.
    assert.ok(strippers[mime]?.(Buffer.concat(pieces)) === null, mime)
    const few = pieces.map((piece) =>
      piece.length > 100_000 ? piece.subarray(0, piece.length / 200_000) : piece,
    )
    assert.notEqual(strippers[mime]?.(Buffer.concat(few)), null, mime)
  }
  const sound = [latin1('RIFF\0\0\0\0WAVEfmt \x10\0\0\0'), Buffer.alloc(16), latin1('data\x01\0\0\0!')]
  assert.equal(isPlayableWav(Buffer.concat(sound)), true)
  assert.equal(isPlayableWav(Buffer.concat([...sound.slice(0, 2), parts('pad \0\0\0\0'), sound[2]!])), false)
})

test('rejects a WebP with a truncated extended header', () => {
  const short = Buffer.concat([latin1('RIFF\xff\0\0\0WEBPVP8X\0\0\0\0'), latin1('VP8 \0\0\0\0')])
  assert.equal(strippers['image/webp']?.(short), null)
})

test('rejects a picture with truncated or malformed parts', () => {
  const crafted: Record<string, string[]> = {
    'image/jpeg': [
      '\xff\xd8\0\xd9\xff\xd9',
      '\xff\xd8\xff\xe0\0',
      '\xff\xd8\xff\xe0\0\x01\xff\xd9',
      '\xff\xd8\xff\xe0\0\x10\xff\xd9',
    ],
    'image/png': ['\x89PNG\r\n\x1a\n\0\0\0\x01IENDcrc!'],
    'image/gif': ['GIF89a', 'GIF89a\0\0\0\0\0\0\0\x21\xf9\x09', 'GIF89a\0\0\0\0\0\0\0\x21\xf9\x01'],
    'image/webp': ['RIFF\x04\0\0\0WEBP', 'RIFF', 'RIFF\x20\0\0\0WEBPVP8 \0\0\0\0VP8 \x09\0\0\0'],
  }
  for (const [mime, files] of Object.entries(crafted))
    for (const file of files) assert.equal(strippers[mime]?.(latin1(file)), null, `${mime} ${file}`)
})

test('removes data after the end marker of a JPEG', () => {
  const jpeg = latin1('\xff\xd8\xff\xda\0\x02data\xff\0of\xff\xd0a scan\xff\xff\xd9')
  assert.deepEqual(strippers['image/jpeg']?.(Buffer.concat([jpeg, latin1('a film')])), jpeg)
})

test('rejects an ID3 tag without audio frames', () => {
  const label = latin1('ID3\x04\0\0\0\0\0\0')
  assert.equal(isMp3(label), false)
  assert.equal(isMp3(Buffer.concat([label, latin1('TAG'), Buffer.alloc(125)])), false)
})

test('detects a video by the tracks in its `moov` box', () => {
  const handler = Buffer.alloc(24)
  handler.write('vide', 8, 'latin1')
  const media = mp4Box('mdia', mp4Box('hdlr', handler))
  const withIndex = (...content: Buffer[]) => Buffer.concat([mp4Box('ftyp'), mp4Box('moov', ...content)])
  const movie = { hasVideo: true, hasAudio: false, width: null, height: null }
  assert.deepEqual(readMp4(withIndex(mp4Box('trak', media))), movie)
  assert.deepEqual(readMp4(withIndex(mp4Box('trak', mp4Box('tkhd', Buffer.alloc(83)), media))), movie)
  assert.equal(readMp4(withIndex(mp4Box('udta', media)))?.hasVideo, false)
  assert.equal(readMp4(mp4Box('moov', mp4Box('trak', media))), null)
  assert.equal(readMp4(mp4Box('ftyp')), null)
  assert.equal(readMp4(Buffer.concat([mp4({}), latin1('\0\0\0\x01free\0\0\0')])), null)
})

test('blanks tracks that are nested 20,000 levels deep', () => {
  const depth = 20_000
  const film = Buffer.alloc(16 + 8 * depth)
  film.writeUInt32BE(8)
  film.write('ftyp', 4)
  for (let level = 0; level <= depth; level += 1) {
    film.writeUInt32BE(8 * (depth - level + 1), 8 * (level + 1))
    film.write(level === 0 ? 'moov' : 'trak', 8 * (level + 1) + 4)
  }
  const cleaned = cleanMp4(film)
  assert.equal(cleaned.length, film.length)
  assert.ok(!cleaned.includes('trak'))
})

test('blanks each byte once when a removed track lists the whole file 20,000 times', () => {
  const numbers = (...values: number[]) => Buffer.concat(values.map(uint32))
  const handler = Buffer.alloc(24)
  handler.write('text', 8, 'latin1')
  const offsets = Buffer.alloc(4 * 20_000)
  const table = mp4Box(
    'stbl',
    mp4Box('stco', numbers(0, 20_000), offsets),
    mp4Box('stsc', numbers(0, 1, 1, 0xffffffff, 1)),
    mp4Box('stsz', numbers(0, 0xffffffff, 0xffffffff)),
  )
  const track = mp4Box('trak', mp4Box('mdia', mp4Box('hdlr', handler), mp4Box('minf', table)))
  const samples = [latin1('first sample'), latin1('second sample')]
  const film = Buffer.concat([
    mp4Box('ftyp'),
    mp4Box('moov', ...Array.from({ length: 3 }, () => track)),
    ...samples.map((sample) => mp4Box('mdat', sample, Buffer.alloc(40_000, 'x'))),
  ])
  let blanked = 0
  const fill = mock.method(
    Buffer.prototype,
    'fill',
    function (this: Buffer, ...args: [number, number?, number?]) {
      const [, from = 0, to = this.length] = args
      blanked += to - from
      return Uint8Array.prototype.fill.apply(this, args)
    },
  )
  const cleaned = cleanMp4(film)
  fill.mock.restore()
  assert.ok(!cleaned.includes('sample') && !cleaned.includes('x'))
  assert.ok(blanked <= film.length, `${blanked} bytes blanked in a file of ${film.length}`)
})
