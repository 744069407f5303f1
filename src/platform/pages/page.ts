import { hash } from 'node:crypto'
import { compress, type Encoding } from '#platform/http/encoding.ts'
import type { Noted } from './reading.ts'
import { findSlots, type Slot } from './slots.ts'

/** Bytes as they are sent, with the forms in which clients take them. */
export type Rendered = { bytes: Buffer; etag: string; encoded: Map<Encoding, Buffer> }

/** The flags of things that are set for one viewer: by name, the ids. */
export type Flags = ReadonlyMap<string, ReadonlySet<number>>

const NO_FLAGS: Flags = new Map()

/** A text in pieces, and what is put between them. */
type Template = { pieces: string[]; slots: Slot[] }

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
  forViewer(flags: Flags): string
  /** The ids of the objects that have each of the flags. */
  flagged(): ReadonlyMap<string, number[]>
}

/** The number of bytes that a character and what else is kept of it take, roughly. */
const BYTES_EACH = 4

/** Keeps a reply's text; `names` are the flags that depend on the viewer. */
export function createPage(text: string, noted: Noted, readAt: number, names: ReadonlySet<string>): Page {
  let template: Template | undefined
  let rendered: (Rendered & { at: number; text: string }) | undefined
  let idsOf: Map<string, number[]> | undefined

  const cut = (): Template => {
    const slots = findSlots(text, names, noted.liveOf)
    const pieces: string[] = []
    let from = 0
    for (const { start, end } of slots) {
      pieces.push(text.slice(from, start))
      from = end
    }
    pieces.push(text.slice(from))
    return { pieces, slots }
  }
  const render = (flags: Flags): string => {
    if (!noted.hasLive && flags.size === 0) return text
    template ??= cut()
    const { pieces, slots } = template
    let out = pieces[0] as string
    for (let at = 0; at < slots.length; at += 1) {
      const slot = slots[at] as Slot
      if (slot.kind === 'live') out += slot.live.base + slot.live.counts.pending(slot.live.id)
      else out += flags.get(slot.flag)?.has(slot.id) ? 'true' : 'false'
      out += pieces[at + 1] as string
    }
    return out
  }

  return {
    noted,
    readAt,
    size: text.length * BYTES_EACH + 1000,
    forGuests(now, countsMs) {
      if (rendered && (!noted.hasLive || now - rendered.at < countsMs)) return rendered
      const fresh = render(NO_FLAGS)
      if (rendered?.text === fresh) rendered.at = now
      else {
        const bytes = Buffer.from(fresh)
        rendered = { bytes, etag: tagOf(bytes), encoded: new Map(), at: now, text: fresh }
      }
      return rendered
    },
    forViewer: render,
    flagged() {
      if (idsOf) return idsOf
      template ??= cut()
      const found = new Map<string, Set<number>>()
      for (const slot of template.slots)
        if (slot.kind === 'flag') {
          const ids = found.get(slot.flag) ?? new Set()
          found.set(slot.flag, ids.add(slot.id))
        }
      idsOf = new Map([...found].map(([flag, ids]) => [flag, [...ids]]))
      return idsOf
    },
  }
}

/** The bytes in an encoding, made once. */
export function encodedAs(rendered: Rendered, encoding: Encoding): Buffer {
  let bytes = rendered.encoded.get(encoding)
  if (!bytes) {
    bytes = compress(rendered.bytes, encoding, 'kept')
    rendered.encoded.set(encoding, bytes)
  }
  return bytes
}
