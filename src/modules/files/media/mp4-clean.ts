import { boxAt, childBoxes, handlerOf, listBoxes, type Mp4Box } from './mp4.ts'
import { type Range, samplesOf, samplesOfFragment, standardSizes } from './mp4-samples.ts'

/** Boxes needed for playback, by parent box. Other boxes may contain personal data. */
const SHOWN_AT_TOP = new Set(['ftyp', 'moov', 'mdat', 'moof', 'mfra', 'sidx', 'styp', 'wide'])
const SHOWN_IN_MOOV = new Set(['mvhd', 'trak', 'mvex'])
const SHOWN_IN_TRACK = new Set(['tkhd', 'edts', 'mdia', 'tapt'])
const DESCRIBING = new Set(['udta', 'meta', 'uuid'])
const DATED = new Set(['mvhd', 'tkhd', 'mdhd'])
/**
 * Byte range of the encoder name in the description of a video track. The name often identifies the camera.
 */
const ENCODER = { from: 50, to: 82 }
const VENDOR = { from: 20, to: 24 }

function blank(bytes: Buffer, box: Mp4Box): void {
  bytes.write('free', box.start + 4, 'latin1')
  bytes.fill(0, box.body, box.end)
}

function keepOnly(bytes: Buffer, boxes: Mp4Box[], shown: Set<string>): Mp4Box[] {
  for (const box of boxes) if (!shown.has(box.type)) blank(bytes, box)
  return boxes.filter(({ type }) => shown.has(type))
}

function blankDates(bytes: Buffer, box: Mp4Box): void {
  if (!DATED.has(box.type)) return
  bytes.fill(0, box.body + 4, Math.min(box.body + (bytes[box.body] === 1 ? 20 : 12), box.end))
}

/** Blanks the handler name, because the name often identifies the recording device. */
function blankName(bytes: Buffer, handler: Mp4Box): void {
  bytes.fill(0, Math.min(handler.body + 24, handler.end), handler.end)
}

function cleanTrack(bytes: Buffer, track: Mp4Box): void {
  for (const box of keepOnly(bytes, childBoxes(bytes, track), SHOWN_IN_TRACK)) blankDates(bytes, box)
  const media = childBoxes(bytes, boxAt(bytes, track, 'mdia'))
  for (const box of media) {
    blankDates(bytes, box)
    if (DESCRIBING.has(box.type)) blank(bytes, box)
  }
  for (const box of [...media, ...childBoxes(bytes, boxAt(bytes, track, 'mdia', 'minf'))])
    if (box.type === 'hdlr') blankName(bytes, box)
  if (handlerOf(bytes, track) !== 'vide') return
  const table = boxAt(bytes, track, 'mdia', 'minf', 'stbl', 'stsd')
  const entries = table ? (listBoxes(bytes, table.body + 8, table.end) ?? []) : []
  for (const { start, end } of entries)
    for (const { from, to } of [VENDOR, ENCODER])
      if (start + to <= end) bytes.fill(0, start + from, start + to)
}

/**
 * Blanks only bytes inside boxes of media data, because a crafted track may point to any other bytes. Blanks each
 * byte once, because a crafted track may list the whole file a million times.
 */
function blankWithin(bytes: Buffer, media: Mp4Box[], ranges: Range[]): void {
  let done = 0
  let next = 0
  for (const { start, end } of ranges.sort((one, other) => one.start - other.start)) {
    const first = Math.max(start, done)
    if (end <= first) continue
    done = end
    while (next < media.length && media[next]!.end <= first) next += 1
    for (let n = next; n < media.length && media[n]!.body < end; n += 1)
      bytes.fill(0, Math.max(first, media[n]!.body), Math.min(end, media[n]!.end))
  }
}

const trackId = (bytes: Buffer, track: Mp4Box): number => {
  const header = boxAt(bytes, track, 'tkhd')
  const at = header ? header.body + (bytes[header.body] === 1 ? 20 : 12) : -1
  return header && at + 4 <= header.end ? bytes.readUInt32BE(at) : 0
}

/**
 * Blanks everything but video and audio, because cameras write locations into metadata and text tracks. Boxes
 * keep their sizes, because the `moov` box refers to offsets in the file.
 */
export function cleanMp4(original: Buffer): Buffer {
  const bytes = Buffer.from(original)
  const top = keepOnly(bytes, listBoxes(bytes, 0, bytes.length) ?? [], SHOWN_AT_TOP)
  const media = top.filter(({ type }) => type === 'mdat')
  const removed = new Set<number>()
  const unwanted: Range[] = []
  let standards = new Map<number, number>()
  for (const index of top.filter(({ type }) => type === 'moov')) {
    standards = standardSizes(bytes, index)
    for (const box of keepOnly(bytes, childBoxes(bytes, index), SHOWN_IN_MOOV)) {
      blankDates(bytes, box)
      if (box.type !== 'trak') continue
      const kind = handlerOf(bytes, box)
      if (kind === 'vide' || kind === 'soun') cleanTrack(bytes, box)
      else {
        removed.add(trackId(bytes, box))
        for (const range of samplesOf(bytes, box)) unwanted.push(range)
        blank(bytes, box)
      }
    }
  }
  for (const fragment of top.filter(({ type }) => type === 'moof'))
    for (const box of childBoxes(bytes, fragment)) {
      if (DESCRIBING.has(box.type)) blank(bytes, box)
      if (box.type !== 'traf') continue
      const { track, ranges } = samplesOfFragment(bytes, fragment, box, standards)
      if (!removed.has(track)) continue
      for (const range of ranges) unwanted.push(range)
      blank(bytes, box)
    }
  blankWithin(bytes, media, unwanted)
  return bytes
}
