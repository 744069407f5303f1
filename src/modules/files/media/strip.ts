/**
 * Removes metadata without re-encoding, by copying only the parts needed for display. Also drops data after
 * the end of a picture, because phones append videos with metadata there.
 */
export const strippers: Record<string, (bytes: Buffer) => Buffer | null> = {
  'image/jpeg': stripJpeg,
  'image/png': stripPng,
  'image/gif': stripGif,
  'image/webp': stripWebp,
}

// Maximum number of parts that a loop reads, because the loop blocks the process. Real pictures have far
// fewer parts.
const maxParts = 100_000

function stripJpeg(bytes: Buffer): Buffer | null {
  const kept = [bytes.subarray(0, 2)]
  let position = 2
  for (let parts = 0; parts < maxParts && position + 2 <= bytes.length; parts += 1) {
    if (bytes[position] !== 0xff) return null
    const marker = bytes[position + 1] ?? 0
    if (marker === 0xff) {
      position += 1
      continue
    }
    if (marker === 0xd9) {
      kept.push(bytes.subarray(position, position + 2))
      return Buffer.concat(kept)
    }
    if (position + 4 > bytes.length) return null
    // A wrong segment length leads to a position without a marker. The loop returns null there.
    let end = position + 2 + bytes.readUInt16BE(position + 2)
    // Entropy-coded data follows a scan header, without a length of its own.
    if (marker === 0xda) end = endOfScan(bytes, end)
    if (isShownByJpeg(bytes, marker, position))
      kept.push(withoutPreview(bytes.subarray(position, end), marker))
    position = end
  }
  return null
}

function endOfScan(bytes: Buffer, from: number): number {
  let position = bytes.indexOf(0xff, from)
  while (position >= 0 && position + 1 < bytes.length) {
    const next = bytes[position + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return position
    position = bytes.indexOf(0xff, position + 1)
  }
  return bytes.length
}

const JPEG_PARTS: Record<number, string> = { 224: 'JFIF\0', 226: 'ICC_PROFILE\0', 238: 'Adobe' }
const JFIF_LENGTH = 18

function isShownByJpeg(bytes: Buffer, marker: number, position: number): boolean {
  const name = JPEG_PARTS[marker]
  return (
    marker < 0xe0 ||
    (name !== undefined && bytes.toString('latin1', position + 4, position + 4 + name.length) === name)
  )
}

/** Removes the JFIF thumbnail, because the thumbnail may show content that was cropped from the picture. */
function withoutPreview(part: Buffer, marker: number): Buffer {
  if (marker !== 0xe0 || part.length <= JFIF_LENGTH) return part
  const head = Buffer.from(part.subarray(0, JFIF_LENGTH))
  head.writeUInt16BE(JFIF_LENGTH - 2, 2)
  head.fill(0, JFIF_LENGTH - 2)
  return head
}

const pngParts = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'sBIT', 'bKGD', 'pHYs', 'cICP'],
  ...['acTL', 'fcTL', 'fdAT'],
])

function stripPng(bytes: Buffer): Buffer | null {
  const kept = [bytes.subarray(0, 8)]
  let position = 8
  for (let parts = 0; parts < maxParts && position + 12 <= bytes.length; parts += 1) {
    const type = bytes.toString('latin1', position + 4, position + 8)
    const end = position + 12 + bytes.readUInt32BE(position)
    if (end > bytes.length) return null
    if (pngParts.has(type)) kept.push(bytes.subarray(position, end))
    if (type === 'IEND') return Buffer.concat(kept)
    position = end
  }
  return null
}

function stripGif(bytes: Buffer): Buffer | null {
  let position = 13 + colourTable(bytes[10] ?? 0)
  const kept = [bytes.subarray(0, position)]
  for (let parts = 0; parts < maxParts && position < bytes.length; parts += 1) {
    const start = position
    const kind = bytes[position]
    if (kind === 0x3b) {
      kept.push(bytes.subarray(position, position + 1))
      return Buffer.concat(kept)
    }
    if (kind === 0x21) position = endOfGifBlocks(bytes, position + 2)
    else if (kind === 0x2c)
      position = endOfGifBlocks(bytes, position + 11 + colourTable(bytes[position + 9] ?? 0))
    else return null
    if (kind === 0x2c || isShownByGif(bytes, start)) kept.push(bytes.subarray(start, position))
  }
  return null
}

function colourTable(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}

function endOfGifBlocks(bytes: Buffer, from: number): number {
  let position = from
  while (position < bytes.length) {
    const size = bytes[position] ?? 0
    position += size + 1
    if (size === 0) return position
  }
  return bytes.length
}

function isShownByGif(bytes: Buffer, start: number): boolean {
  const label = bytes[start + 1]
  const name = bytes.toString('latin1', start + 3, start + 14)
  return label === 0xf9 || (label === 0xff && (name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0'))
}

const webpParts = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const webpExifAndXmp = 0x0c

function stripWebp(bytes: Buffer): Buffer | null {
  if (bytes.length < 20) return null
  const total = Math.min(bytes.length, 8 + bytes.readUInt32LE(4))
  const kept = [Buffer.from(bytes.subarray(0, 12))]
  let position = 12
  for (let parts = 0; position + 8 <= total; parts += 1) {
    if (parts === maxParts) return null
    const type = bytes.toString('latin1', position, position + 4)
    const size = bytes.readUInt32LE(position + 4)
    if (position + 8 + size > total) return null
    if (type === 'VP8X' && size < 10) return null
    const end = Math.min(position + 8 + size + (size % 2), total)
    if (webpParts.has(type)) {
      const part = Buffer.from(bytes.subarray(position, end))
      if (type === 'VP8X') part.writeUInt8(part.readUInt8(8) & ~webpExifAndXmp, 8)
      kept.push(part)
    }
    position = end
  }
  const whole = Buffer.concat(kept)
  whole.writeUInt32LE(whole.length - 8, 4)
  return kept.length > 1 ? whole : null
}
