import type { Live } from './reading.ts'

/** A value in a text that is not the same for everybody, or not for long. */
export type Slot = { start: number; end: number } & (
  | { kind: 'live'; live: Live }
  /** A flag of the thing with this id, such as `has_like`. */
  | { kind: 'flag'; flag: string; id: number }
)

type Frame = {
  isObject: boolean
  key: string
  awaitsKey: boolean
  id: number
  flags: { flag: string; start: number; end: number }[]
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|-?\d[\d.eE+-]*|true|false|null/g

/**
 * Finds in a JSON text, in its order, the flags of the given names, each with the `id` of the object that it stands in,
 * and the numbers that stand for counts. Texts are skipped whole, so that nothing that people wrote is taken for either.
 */
export function findSlots(
  text: string,
  flags: ReadonlySet<string>,
  liveOf: (value: number) => Live | undefined,
): Slot[] {
  const slots: Slot[] = []
  const stack: Frame[] = []
  let top: Frame | undefined
  for (const match of text.matchAll(TOKEN)) {
    const [token] = match
    const start = match.index
    const end = start + token.length
    switch (token[0]) {
      case '{':
      case '[':
        top = { isObject: token === '{', key: '', awaitsKey: token === '{', id: 0, flags: [] }
        stack.push(top)
        break
      case '}':
      case ']':
        if (top && top.id > 0) for (const each of top.flags) slots.push({ kind: 'flag', id: top.id, ...each })
        stack.pop()
        top = stack.at(-1)
        break
      case ',':
        if (top) top.awaitsKey = top.isObject
        break
      case ':':
        break
      case '"':
        if (top?.awaitsKey) {
          top.key = token.slice(1, -1)
          top.awaitsKey = false
        }
        break
      case 't':
      case 'f':
        if (top?.isObject && flags.has(top.key)) top.flags.push({ flag: top.key, start, end })
        break
      case 'n':
        break
      default: {
        const value = Number(token)
        if (top?.isObject && top.key === 'id') top.id = value
        const live = liveOf(value)
        if (live) slots.push({ kind: 'live', live, start, end })
      }
    }
  }
  return slots.sort((a, b) => a.start - b.start)
}
