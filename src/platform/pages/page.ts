import { hash } from 'node:crypto'
import { compress, type Encoding } from '#platform/http/encoding.ts'
import type { Noted } from './reading.ts'
import { findSlots, type Slot } from './slots.ts'

/** Bytes as they are sent, with the forms in which clients take them where those are kept. */
export type Rendered = { bytes: Buffer; etag: string; encoded: Map<Encoding, Buffer> | undefined }

/** The flags of things that are set for one viewer: by name, the ids. */
export type Flags = ReadonlyMap<string, ReadonlySet<number>>

/** Nothing is a viewer's own. */
export const NO_FLAGS: Flags = new Map()

const [TRUE, FALSE] = [Buffer.from('true'), 'false']

/** A place in bytes: a flag, which is false there, or a count, of which there is nothing. */
type Place = Slot & { at: number }
/** The bytes of a page with no flag set and without its counts. */
type Template = { bytes: Buffer; places: Place[]; etag: string }

const TAG_LENGTH = 20

/** A tag of these bytes that says nothing about how they are encoded. */
export const tagOf = (bytes: Buffer | string): string =>
  `W/"${hash('sha1', bytes, 'base64url').slice(0, TAG_LENGTH)}"`

/** What is the same for everybody of a reply, and what it was made of. */
export type Page = {
  noted: Noted
  /** When it was begun to be read, in milliseconds of this process. */
  readAt: number
  size: number
  /** As guests get it; what only counts may be `countsMs` older than the rest. */
  forGuests(now: number, countsMs: number): Rendered
  /** As a viewer gets it. */
  forViewer(flags: Flags): Rendered
  /** The ids of the objects that have each of the flags. */
  flagged(): ReadonlyMap<string, number[]>
}

/** The number of bytes that a character and what else is kept of it take, roughly. */
const BYTES_EACH = 3

/** Keeps a reply's text; `names` are the flags that depend on the viewer. */
export function createPage(text: string, noted: Noted, readAt: number, names: ReadonlySet<string>): Page {
  let source = text
  let template: Template | undefined
  let rendered: (Rendered & { at: number }) | undefined
  let idsOf: Map<string, number[]> | undefined

  const cut = (): Template => {
    if (template) return template
    const pieces: string[] = []
    const places: Place[] = []
    let [from, at] = [0, 0]
    const put = (piece: string) => {
      pieces.push(piece)
      at += Buffer.byteLength(piece)
    }
    for (const slot of findSlots(source, names, noted.liveOf)) {
      put(source.slice(from, slot.start))
      places.push({ ...slot, at })
      if (slot.kind === 'flag') put(FALSE)
      from = slot.end
    }
    put(source.slice(from))
    const bytes = Buffer.from(pieces.join(''))
    template = { bytes, places, etag: tagOf(bytes) }
    source = ''
    // One copy of the bytes is enough.
    if (rendered && !noted.hasLive) rendered.bytes = bytes
    return template
  }
  /** The bytes with these flags and the counts of now, and what tells them from those with others. */
  const fill = (flags: Flags): { bytes: Buffer; mark: string } => {
    const { bytes, places } = cut()
    const parts: Buffer[] = []
    let mark = ''
    let from = 0
    for (const [n, place] of places.entries()) {
      if (place.kind === 'flag') {
        if (!flags.get(place.flag)?.has(place.id)) continue
        mark += `${n} `
        parts.push(bytes.subarray(from, place.at), TRUE)
        from = place.at + FALSE.length
      } else {
        const count = String(place.live.base + place.live.counts.pending(place.live.id))
        mark += `${n}=${count} `
        parts.push(bytes.subarray(from, place.at), Buffer.from(count))
        from = place.at
      }
    }
    if (parts.length === 0) return { bytes, mark }
    parts.push(bytes.subarray(from))
    return { bytes: Buffer.concat(parts), mark }
  }
  const forGuests = (now: number, countsMs: number): Rendered => {
    if (rendered && (!noted.hasLive || now - rendered.at < countsMs)) return rendered
    const bytes = noted.hasLive ? fill(NO_FLAGS).bytes : (template?.bytes ?? Buffer.from(source))
    if (rendered?.bytes.equals(bytes)) rendered.at = now
    else rendered = { bytes, etag: tagOf(bytes), encoded: new Map(), at: now }
    return rendered
  }

  return {
    noted,
    readAt,
    size: text.length * BYTES_EACH + 1000,
    forGuests,
    forViewer(flags) {
      // Nothing of it is the viewer's own.
      if (flags.size === 0) return forGuests(performance.now(), 0)
      const { bytes, mark } = fill(flags)
      return { bytes, etag: tagOf(cut().etag + mark), encoded: undefined }
    },
    flagged() {
      if (idsOf) return idsOf
      const found = new Map<string, Set<number>>()
      for (const place of cut().places)
        if (place.kind === 'flag') {
          const ids = found.get(place.flag) ?? new Set()
          found.set(place.flag, ids.add(place.id))
        }
      idsOf = new Map([...found].map(([flag, ids]) => [flag, [...ids]]))
      return idsOf
    },
  }
}

/** The bytes in an encoding: made once, or for the one who gets them. */
export function encodedAs({ bytes, encoded }: Rendered, encoding: Encoding): Buffer {
  if (!encoded) return compress(bytes, encoding, 'once')
  const known = encoded.get(encoding)
  if (known) return known
  const made = compress(bytes, encoding, 'kept')
  encoded.set(encoding, made)
  return made
}
