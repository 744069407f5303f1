/** An Ogg page holds packets or parts of packets, with a checksum at byte 22. */
type Page = { start: number; body: number; end: number; serial: number; lengths: number[] }

const FLAC_BLOCK = '\x84'

/** Start of the first packet of each codec, and the prefix of its comment packet. */
const KINDS = [
  { first: '\x01vorbis', comments: '\x03vorbis' },
  { first: 'OpusHead', comments: 'OpusTags' },
  { first: 'Speex   ', comments: '' },
  { first: '\x7fFLAC', comments: FLAC_BLOCK },
]

const CHECKSUMS = Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value >>> 0
})

function listPages(bytes: Buffer): Page[] {
  const pages: Page[] = []
  for (let start = bytes.indexOf('OggS'); start >= 0; ) {
    const count = bytes[start + 26] ?? 0
    const body = start + 27 + count
    if (body > bytes.length) break
    const lengths = [...bytes.subarray(start + 27, body)]
    const end = body + lengths.reduce((sum, length) => sum + length, 0)
    if (end > bytes.length) break
    pages.push({ start, body, end, serial: bytes.readUInt32LE(start + 14), lengths })
    start = bytes.toString('latin1', end, end + 4) === 'OggS' ? end : bytes.indexOf('OggS', end)
  }
  return pages
}

function checksum(bytes: Buffer): number {
  let sum = 0
  for (const byte of bytes) sum = ((sum << 8) ^ CHECKSUMS[((sum >>> 24) ^ byte) & 0xff]!) >>> 0
  return sum
}

/** Overwrites the vendor and comment fields in place, so that page offsets stay valid. */
function blankComments(packet: Buffer, from: number): void {
  const lengthAt = (at: number) => (at + 4 <= packet.length ? packet.readUInt32LE(at) : packet.length)
  let position = from + 4 + lengthAt(from)
  packet.fill(' ', from + 4, Math.min(position, packet.length))
  const count = lengthAt(position)
  position += 4
  for (let n = 0; n < count && position + 4 <= packet.length; n += 1) {
    const end = Math.min(position + 4 + lengthAt(position), packet.length)
    // Writes an empty comment `C=`, because a comment must consist of a name and a value.
    packet.fill(' ', position + 4, end)
    packet.write('C='.slice(0, Math.max(0, end - position - 4)), position + 4, 'latin1')
    position = end
  }
  // Keeps the framing bit that follows the comments of Vorbis, and clears the padding.
  if (position < packet.length) packet.fill(0, position + 1, packet.length)
}

type Stream = {
  kind: (typeof KINDS)[number] | undefined
  packets: number
  isClean: boolean
  pieces: { at: number; length: number }[]
}

/** Blanks comments and drops streams other than audio, such as subtitles. */
export function cleanOgg(original: Buffer): Buffer {
  const bytes = Buffer.from(original)
  const streams = new Map<number, Stream>()
  const kept = listPages(bytes).filter((page) => {
    const isFirst = ((bytes[page.start + 5] ?? 0) & 2) !== 0
    if (isFirst) {
      const kind = KINDS.find(
        ({ first }) => bytes.toString('latin1', page.body, page.body + first.length) === first,
      )
      streams.set(page.serial, { kind, packets: 0, isClean: false, pieces: [] })
    }
    const stream = streams.get(page.serial)
    if (!stream?.kind) return false
    readPage(bytes, page, stream)
    return true
  })
  return Buffer.concat(
    kept.map((page) => {
      const whole = bytes.subarray(page.start, page.end)
      whole.writeUInt32LE(0, 22)
      whole.writeUInt32LE(checksum(whole), 22)
      return whole
    }),
  )
}

function readPage(bytes: Buffer, page: Page, stream: Stream): void {
  let at = page.body
  for (const length of page.lengths) {
    if (stream.isClean) return
    stream.pieces.push({ at, length })
    at += length
    if (length === 255) continue
    stream.packets += 1
    if (stream.packets > 1) blankPacket(bytes, stream)
    stream.pieces = []
  }
}

function blankPacket(bytes: Buffer, stream: Stream): void {
  const { kind, pieces, packets } = stream
  const packet = Buffer.concat(pieces.map(({ at, length }) => bytes.subarray(at, at + length)))
  const isFlac = kind?.comments === FLAC_BLOCK
  // FLAC metadata packets end at the first audio frame, which starts with 0xff.
  stream.isClean = !isFlac || packet[0] === 0xff
  if (isFlac && stream.isClean) return
  if (packets === 2) blankComments(packet, isFlac ? 4 : (kind?.comments.length ?? 0))
  else packet.fill(0, Math.min(4, packet.length))
  let from = 0
  for (const { at, length } of pieces) {
    packet.copy(bytes, at, from, from + length)
    from += length
  }
}
