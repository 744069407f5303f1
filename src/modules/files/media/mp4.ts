export type Mp4Box = { type: string; start: number; body: number; end: number }

export type Movie = { hasVideo: boolean; hasAudio: boolean; width: number | null; height: number | null }

const maxBoxes = 2_000

/**
 * Lists the boxes in a byte range. Returns null when a box exceeds the range, as in a truncated file, and when there
 * are more than `maxBoxes`.
 */
export function listBoxes(bytes: Buffer, from: number, to: number): Mp4Box[] | null {
  const boxes: Mp4Box[] = []
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

export function childBoxes(bytes: Buffer, box: Mp4Box | undefined): Mp4Box[] {
  return (box && listBoxes(bytes, box.body, box.end)) ?? []
}

/** Returns the descendant box at `path`. */
export function boxAt(bytes: Buffer, box: Mp4Box, ...path: string[]): Mp4Box | undefined {
  let found: Mp4Box | undefined = box
  for (const name of path) found = childBoxes(bytes, found).find(({ type }) => type === name)
  return found
}

export function handlerOf(bytes: Buffer, track: Mp4Box): string | undefined {
  const handler = boxAt(bytes, track, 'mdia', 'hdlr')
  return handler && bytes.toString('latin1', handler.body + 8, Math.min(handler.body + 12, handler.end))
}

/** Reads the tracks of an MP4. Returns null for a truncated file, or a file without a `ftyp` or `moov` box. */
export function readMp4(bytes: Buffer): Movie | null {
  const top = listBoxes(bytes, 0, bytes.length)
  const index = top?.find((box) => box.type === 'moov')
  if (top?.[0]?.type !== 'ftyp' || !index) return null
  const movie: Movie = { hasVideo: false, hasAudio: false, width: null, height: null }
  for (const track of childBoxes(bytes, index)) {
    if (track.type !== 'trak') continue
    const kind = handlerOf(bytes, track)
    if (kind === 'soun') movie.hasAudio = true
    if (kind !== 'vide' || movie.hasVideo) continue
    movie.hasVideo = true
    Object.assign(movie, trackSize(bytes, boxAt(bytes, track, 'tkhd')))
  }
  return movie
}

function trackSize(bytes: Buffer, header: Mp4Box | undefined): Pick<Movie, 'width' | 'height'> {
  const version = header && bytes[header.body]
  if (!header || header.end - header.body < (version === 1 ? 96 : 84)) return { width: null, height: null }
  // Width and height are 16.16 fixed-point numbers at the end of the track header, after a matrix of nine
  // numbers.
  const width = bytes.readUInt16BE(header.end - 8)
  const height = bytes.readUInt16BE(header.end - 4)
  if (width === 0 || height === 0) return { width: null, height: null }
  const turned = bytes.readInt32BE(header.end - 44) === 0 && bytes.readInt32BE(header.end - 40) !== 0
  return turned ? { width: height, height: width } : { width, height }
}
