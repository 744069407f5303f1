import { mp3FrameLength, tagsEnd } from './audio.ts'
import { cleanOgg } from './ogg-clean.ts'

/** Removes everything but audio data, because recorders write their location and model into tags. */
export const soundCleaners: Record<string, (bytes: Buffer) => Buffer> = {
  'audio/mpeg': cleanMp3,
  'audio/wav': cleanWav,
  'audio/flac': cleanFlac,
  'audio/ogg': cleanOgg,
}

/** Keeps the frames only. Joined recordings have tags between their frames too. */
function cleanMp3(bytes: Buffer): Buffer {
  const kept: Buffer[] = []
  let position = tagsEnd(bytes)
  let start = position
  while (position < bytes.length) {
    const length = mp3FrameLength(bytes, position)
    if (length !== null && position + length <= bytes.length) {
      position += length
      continue
    }
    kept.push(bytes.subarray(start, position))
    position = nextFrame(bytes, tagsEnd(bytes, position) > position ? tagsEnd(bytes, position) : position + 1)
    start = position
  }
  return Buffer.concat([...kept, bytes.subarray(start, position)])
}

/**
 * Requires that a second frame or the end of the file follows a frame, because the sync bits of one frame also occur
 * in pictures and text.
 */
function nextFrame(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const length = mp3FrameLength(bytes, at)
    if (length === null || at + length > bytes.length) continue
    const next = at + length
    if (next === bytes.length || mp3FrameLength(bytes, next) !== null) return at
  }
  return bytes.length
}

const WAV_PARTS = new Set(['fmt ', 'fact', 'data'])

function cleanWav(bytes: Buffer): Buffer {
  const kept: Buffer[] = [Buffer.from(bytes.subarray(0, 12))]
  for (let position = 12; position + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(position + 4)
    const end = Math.min(position + 8 + size, bytes.length)
    const id = bytes.toString('latin1', position, position + 4)
    if (WAV_PARTS.has(id)) {
      const part = Buffer.from(bytes.subarray(position, end))
      // Corrects the length of a chunk, because an interrupted recorder leaves a length beyond the end of the
      // file.
      part.writeUInt32LE(part.length - 8, 4)
      kept.push(part, Buffer.alloc(part.length % 2))
    }
    if (id === 'data') break
    position += 8 + size + (size % 2)
  }
  const whole = Buffer.concat(kept)
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}

const FLAC_PARTS = new Set([0, 3])

function cleanFlac(bytes: Buffer): Buffer {
  const kept: Buffer[] = []
  let position = 4
  for (let isLast = false; !isLast && position + 4 <= bytes.length; ) {
    const head = bytes[position] ?? 0
    isLast = (head & 0x80) !== 0
    const end = position + 4 + bytes.readUIntBE(position + 1, 3)
    if (FLAC_PARTS.has(head & 0x7f)) {
      const part = Buffer.from(bytes.subarray(position, end))
      part.writeUInt8(head & 0x7f, 0)
      kept.push(part)
    }
    position = end
  }
  const last = kept.at(-1)
  last?.writeUInt8((last[0] ?? 0) | 0x80, 0)
  const isTagged = bytes.toString('latin1', bytes.length - 128, bytes.length - 125) === 'TAG'
  const end = isTagged ? bytes.length - 128 : bytes.length
  return Buffer.concat([bytes.subarray(0, 4), ...kept, bytes.subarray(Math.min(position, end), end)])
}
