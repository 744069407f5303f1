type BmpHeader = NonNullable<ReturnType<typeof readBmpHeader>>

/** Returns null for an invalid or truncated bitmap, and for rare kinds (run-length, 16 bits, OS/2). */
export function readBmpHeader(bytes: Buffer) {
  if (bytes.length < 54 || bytes.toString('latin1', 0, 2) !== 'BM') return null
  const pixels = bytes.readUInt32LE(10)
  const headerSize = bytes.readUInt32LE(14)
  const width = bytes.readInt32LE(18)
  const signedHeight = bytes.readInt32LE(22)
  const bits = bytes.readUInt16LE(28)
  const compression = bytes.readUInt32LE(30)
  if (headerSize < 40 || 14 + headerSize > pixels || width < 1 || signedHeight === 0) return null
  if (![1, 4, 8, 24, 32].includes(bits)) return null
  if (compression !== 0 && !(compression === 3 && bits === 32 && hasUsualMasks(bytes))) return null
  const height = Math.abs(signedHeight)
  const stride = Math.ceil((width * bits) / 32) * 4
  if (pixels + stride * height > bytes.length) return null
  const palette = bits > 8 ? Buffer.alloc(0) : bytes.subarray(14 + headerSize, pixels)
  return { width, height, topDown: signedHeight < 0, bits, pixels, stride, palette }
}

export function trimBmp(bytes: Buffer): Buffer {
  const header = readBmpHeader(bytes)
  if (!header) return bytes
  const trimmed = Buffer.from(bytes.subarray(0, header.pixels + header.stride * header.height))
  trimmed.writeUInt32LE(trimmed.length, 2)
  return trimmed
}

/** A 32-bit bitmap may define any channel order. Only blue, green, red is supported. */
function hasUsualMasks(bytes: Buffer): boolean {
  return (
    bytes.length >= 66 &&
    bytes.readUInt32LE(54) === 0x00ff0000 &&
    bytes.readUInt32LE(58) === 0x0000ff00 &&
    bytes.readUInt32LE(62) === 0x000000ff
  )
}

/**
 * Decodes a bitmap to raw RGB. Skips rows and columns of a picture with more than `enough` pixels, because
 * decoding blocks the process.
 */
export function decodeBmp(bytes: Buffer, enough = 4_000_000) {
  const header = readBmpHeader(bytes)
  if (!header) return null
  const step = Math.ceil(Math.sqrt((header.width * header.height) / enough))
  const width = Math.ceil(header.width / step)
  const height = Math.ceil(header.height / step)
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1) {
    const line = header.topDown ? y * step : header.height - 1 - y * step
    const row = header.pixels + line * header.stride
    for (let x = 0; x < width; x += 1) writePixel(bytes, header, row, x * step, data, (y * width + x) * 3)
  }
  return { data, width, height, full: { width: header.width, height: header.height } }
}

function writePixel(
  bytes: Buffer,
  { bits, palette }: BmpHeader,
  row: number,
  x: number,
  data: Buffer,
  to: number,
) {
  let colours = bytes
  let from = row + (x * bits) / 8
  if (bits <= 8) {
    const shift = 8 - bits - ((x * bits) % 8)
    colours = palette
    from = (((bytes[Math.floor(from)] ?? 0) >> shift) & ((1 << bits) - 1)) * 4
  }
  data[to] = colours[from + 2] ?? 0
  data[to + 1] = colours[from + 1] ?? 0
  data[to + 2] = colours[from] ?? 0
}
