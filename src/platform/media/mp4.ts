type Box = { type: string; start: number; body: number; end: number }

/** What a film's index says of it. Width and height are null when they cannot be read. */
export type Movie = { hasVideo: boolean; hasAudio: boolean; width: number | null; height: number | null }

const maxBoxes = 2_000

/** Boxes in a range of the file; null when one reaches beyond it, as in a file cut short. */
function listBoxes(bytes: Buffer, from: number, to: number): Box[] | null {
  const boxes: Box[] = []
  let start = from
  while (start + 8 <= to) {
    let size = bytes.readUInt32BE(start)
    let body = start + 8
    if (size === 1) {
      if (start + 16 > to) return null
      size = Number(bytes.readBigUInt64BE(start + 8))
      body += 8
    } else if (size === 0) {
      size = to - start
    }
    const end = start + size
    if (end < body || end > to || boxes.length >= maxBoxes) return null
    boxes.push({ type: bytes.toString('latin1', start + 4, start + 8), start, body, end })
    start = end
  }
  return boxes
}

function children(bytes: Buffer, box: Box | undefined): Box[] {
  return (box && listBoxes(bytes, box.body, box.end)) ?? []
}

/** Reads an MP4's index; null for a file that has none or is cut short. */
export function readMp4(bytes: Buffer): Movie | null {
  const top = listBoxes(bytes, 0, bytes.length)
  const index = top?.find((box) => box.type === 'moov')
  if (top?.[0]?.type !== 'ftyp' || !index) return null
  const movie: Movie = { hasVideo: false, hasAudio: false, width: null, height: null }
  for (const track of children(bytes, index)) {
    if (track.type !== 'trak') continue
    const parts = children(bytes, track)
    const media = children(
      bytes,
      parts.find((box) => box.type === 'mdia'),
    )
    const handler = media.find((box) => box.type === 'hdlr')
    const kind =
      handler && bytes.toString('latin1', handler.body + 8, Math.min(handler.body + 12, handler.end))
    if (kind === 'soun') movie.hasAudio = true
    if (kind !== 'vide' || movie.hasVideo) continue
    movie.hasVideo = true
    Object.assign(
      movie,
      trackSize(
        bytes,
        parts.find((box) => box.type === 'tkhd'),
      ),
    )
  }
  return movie
}

function trackSize(bytes: Buffer, header: Box | undefined): Pick<Movie, 'width' | 'height'> {
  const version = header && bytes[header.body]
  if (!header || header.end - header.body < (version === 1 ? 96 : 84)) return { width: null, height: null }
  // Both numbers are 16.16 fixed point and the last of the box, after a matrix of nine.
  const width = bytes.readUInt16BE(header.end - 8)
  const height = bytes.readUInt16BE(header.end - 4)
  if (width === 0 || height === 0) return { width: null, height: null }
  const turned = bytes.readInt32BE(header.end - 44) === 0 && bytes.readInt32BE(header.end - 40) !== 0
  return turned ? { width: height, height: width } : { width, height }
}

/**
 * Blanks the descriptions of a film and its tracks, where cameras put the place of recording. Boxes keep their
 * sizes, since the index points into the file by position.
 */
export function cleanMp4(bytes: Buffer): Buffer {
  const cleaned = Buffer.from(bytes)
  const blank = (parent: Box) => {
    for (const box of children(cleaned, parent)) {
      // Tracks have no tracks of their own, but a crafted file may nest them thousands deep.
      if (box.type === 'trak' && parent.type === 'moov') blank(box)
      if (box.type !== 'udta' && box.type !== 'meta') continue
      cleaned.write('free', box.start + 4, 'latin1')
      cleaned.fill(0, box.body, box.end)
    }
  }
  for (const box of listBoxes(cleaned, 0, cleaned.length) ?? []) {
    if (box.type === 'moov') blank(box)
    if (box.type !== 'udta' && box.type !== 'meta' && box.type !== 'uuid') continue
    cleaned.write('free', box.start + 4, 'latin1')
    cleaned.fill(0, box.body, box.end)
  }
  return cleaned
}
