// Kilobits per second by bitrate index of an MPEG layer III frame header.
const bitratesOfMpeg1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const bitratesOfMpeg2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
// Maximum number of parts that a loop reads, because the loop blocks the process. Real recordings have far
// fewer parts.
const maxParts = 100_000
const sampleRates = [44_100, 48_000, 32_000]

/**
 * Requires that a second frame, a tag or the end of the file follows the first frame, because the sync bits of one
 * frame also occur in other kinds of files.
 */
export function isMp3(bytes: Buffer): boolean {
  let position = tagsEnd(bytes)
  while (position < bytes.length && bytes[position] === 0) position += 1
  const length = mp3FrameLength(bytes, position)
  if (length === null || position + length > bytes.length) return false
  const next = position + length
  const tagged = bytes.toString('latin1', next, next + 3) === 'TAG'
  return next === bytes.length || tagged || mp3FrameLength(bytes, next) !== null
}

/** Returns the position after the ID3 tags that start at `from`, or `from` without tags. */
export function tagsEnd(bytes: Buffer, from = 0): number {
  let position = from
  for (let tags = 0; tags < maxParts; tags += 1) {
    if (bytes.toString('latin1', position, position + 3) !== 'ID3') break
    // The length has seven bits in each of its four bytes.
    const length = bytes.subarray(position + 6, position + 10)
    position += 10 + length.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  }
  return position
}

export function mp3FrameLength(bytes: Buffer, at: number): number | null {
  if (at + 4 > bytes.length) return null
  const header = bytes.readUInt32BE(at)
  const version = (header >>> 19) & 3
  const bitrate = (header >>> 12) & 15
  const rate = sampleRates[(header >>> 10) & 3]
  const layer3 = ((header >>> 17) & 3) === 1
  // Rejects bitrate 0 ("free format"), because its frame length is unknown.
  if (header >>> 21 !== 0x7ff || version === 1 || !layer3 || bitrate === 0 || bitrate === 15 || !rate)
    return null
  const mpeg1 = version === 3
  const kilobits = (mpeg1 ? bitratesOfMpeg1 : bitratesOfMpeg2)[bitrate] ?? 0
  const sampleRate = mpeg1 ? rate : version === 2 ? rate / 2 : rate / 4
  const padding = (header >>> 9) & 1
  return Math.floor(((mpeg1 ? 144 : 72) * kilobits * 1000) / sampleRate) + padding
}

/** Requires the STREAMINFO block, of type 0 and 34 bytes long, at the start. */
export function isPlayableFlac(bytes: Buffer): boolean {
  if (bytes.length < 42 || bytes.toString('latin1', 0, 4) !== 'fLaC') return false
  return (bytes.readUInt8(4) & 0x7f) === 0 && bytes.readUIntBE(5, 3) === 34
}

export function isPlayableWav(bytes: Buffer): boolean {
  let format = false
  let position = 12
  for (let parts = 0; parts < maxParts && position + 8 <= bytes.length; parts += 1) {
    const id = bytes.toString('latin1', position, position + 4)
    const size = bytes.readUInt32LE(position + 4)
    if (id === 'fmt ') format = size >= 16
    if (id === 'data') return format && bytes.length > position + 8
    position += 8 + size + (size % 2)
  }
  return false
}
