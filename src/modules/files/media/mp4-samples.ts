import { boxAt, childBoxes, type Mp4Box } from './mp4.ts'

export type Range = { start: number; end: number }

function numbers(bytes: Buffer, from: number, end: number, count: number, width: 4 | 8): number[] {
  const most = Math.min(count, Math.max(0, Math.floor((end - from) / width)))
  return Array.from({ length: most }, (_, n) =>
    width === 4 ? bytes.readUInt32BE(from + n * 4) : Number(bytes.readBigUInt64BE(from + n * 8)),
  )
}

const countAt = (bytes: Buffer, at: number, end: number) => (at + 4 <= end ? bytes.readUInt32BE(at) : 0)

function compactSizes(bytes: Buffer, { body, end }: Mp4Box, count: number): number[] {
  const bits = bytes[body + 7] ?? 0
  if (![4, 8, 16].includes(bits)) return []
  const most = Math.min(count, Math.max(0, Math.floor(((end - body - 12) * 8) / bits)))
  return Array.from({ length: most }, (_, n) => {
    const at = body + 12 + Math.floor((n * bits) / 8)
    if (bits === 16) return bytes.readUInt16BE(at)
    return bits === 8 ? bytes.readUInt8(at) : (bytes.readUInt8(at) >> (n % 2 === 0 ? 4 : 0)) & 15
  })
}

export function standardSizes(bytes: Buffer, index: Mp4Box): Map<number, number> {
  const boxes = childBoxes(bytes, boxAt(bytes, index, 'mvex')).filter(
    ({ type, body, end }) => type === 'trex' && end - body >= 24,
  )
  return new Map(boxes.map(({ body }) => [bytes.readUInt32BE(body + 4), bytes.readUInt32BE(body + 16)]))
}

export function samplesOf(bytes: Buffer, track: Mp4Box): Range[] {
  const tables = childBoxes(bytes, boxAt(bytes, track, 'mdia', 'minf', 'stbl'))
  const table = (...types: string[]) => tables.find(({ type }) => types.includes(type))
  const [chunks, runs, sizes] = [table('stco', 'co64'), table('stsc'), table('stsz', 'stz2')]
  if (!chunks || !runs || !sizes) return []
  const offsets = numbers(
    bytes,
    chunks.body + 8,
    chunks.end,
    countAt(bytes, chunks.body + 4, chunks.end),
    chunks.type === 'co64' ? 8 : 4,
  )
  const groups = numbers(bytes, runs.body + 8, runs.end, countAt(bytes, runs.body + 4, runs.end) * 3, 4)
  const isCompact = sizes.type === 'stz2'
  const common = isCompact ? 0 : countAt(bytes, sizes.body + 4, sizes.end)
  const count = countAt(bytes, sizes.body + 8, sizes.end)
  const each = isCompact
    ? compactSizes(bytes, sizes, count)
    : numbers(bytes, sizes.body + 12, sizes.end, count, 4)
  const ranges: Range[] = []
  let [group, sample] = [0, 0]
  offsets.forEach((start, chunk) => {
    while ((groups[group + 3] ?? Number.POSITIVE_INFINITY) <= chunk + 1) group += 3
    const samples = groups[group + 1] ?? 0
    const length =
      common > 0
        ? common * samples
        : each.slice(sample, sample + samples).reduce((sum, size) => sum + size, 0)
    sample += samples
    ranges.push({ start, end: start + length })
  })
  return ranges
}

export function samplesOfFragment(
  bytes: Buffer,
  fragment: Mp4Box,
  part: Mp4Box,
  standards: Map<number, number>,
): { track: number; ranges: Range[] } {
  const boxes = childBoxes(bytes, part)
  const header = boxes.find(({ type }) => type === 'tfhd')
  if (!header || header.end - header.body < 8) return { track: 0, ranges: [] }
  const flags = bytes.readUInt32BE(header.body) & 0xffffff
  let at = header.body + 8
  const next = (is: number, width: number) => {
    if ((flags & is) === 0 || at + width > header.end) return undefined
    at += width
    return width === 8 ? Number(bytes.readBigUInt64BE(at - 8)) : bytes.readUInt32BE(at - 4)
  }
  const base = next(0x1, 8) ?? fragment.start
  next(0x2, 4)
  next(0x8, 4)
  const track = bytes.readUInt32BE(header.body + 4)
  const standard = next(0x10, 4) ?? standards.get(track) ?? 0
  const ranges: Range[] = []
  let position = base
  for (const run of boxes.filter(({ type, body, end }) => type === 'trun' && end - body >= 8)) {
    const has = bytes.readUInt32BE(run.body) & 0xffffff
    const count = bytes.readUInt32BE(run.body + 4)
    let first = run.body + 8
    if (has & 0x1 && first + 4 <= run.end) position = base + bytes.readInt32BE(first)
    first += (has & 0x1 ? 4 : 0) + (has & 0x4 ? 4 : 0)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((field) => has & field)
    const values = numbers(bytes, first, run.end, count * fields.length, 4)
    const place = fields.indexOf(0x200)
    const length =
      place >= 0
        ? values.reduce((sum, value, n) => (n % fields.length === place ? sum + value : sum), 0)
        : count * standard
    ranges.push({ start: position, end: position + length })
    position += length
  }
  return { track, ranges }
}
