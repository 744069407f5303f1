import { availableParallelism } from 'node:os'
import { withPlace } from '#platform/processes/places.ts'
import { MediaError } from './errors.ts'

/** For whom image work is done. */
export type Turn = {
  /** Whose share it counts as: an address or an account; work of Kith's own has none. */
  key?: string
  /** Nobody waits for it any more. */
  isGone?: () => boolean
}

type Options = {
  /** What its places on the machine are counted under. */
  name: string
  atOnce: number
  maxWaiting: number
  /** How long one waits before it is refused. */
  patienceMs: number
}

type Waiting = { isGone: () => boolean; accept: () => void; refuse: (reason: string) => void }

/**
 * Runs work a few at a time. Those who wait take turns by key, so that whoever asks for much waits for themselves and not
 * the others for them. Where too many wait, the key that has most of them loses one; who waited too long is refused as
 * `busy`, and what nobody waits for any more is dropped.
 */
export function createImageQueue({ name, atOnce, maxWaiting, patienceMs }: Options) {
  // The key that was served goes to the end: a Map keeps the order in which its keys were put in.
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  const remove = (key: string, one: Waiting) => {
    const left = lines.get(key)?.filter((each) => each !== one) ?? []
    if (left.length > 0) lines.set(key, left)
    else lines.delete(key)
    waiting -= 1
  }
  const takeNext = (): Waiting | undefined => {
    for (let [first] = lines; first; [first] = lines) {
      const [key, line] = first
      const next = line.shift() as Waiting
      waiting -= 1
      lines.delete(key)
      if (line.length > 0) lines.set(key, line)
      if (!next.isGone()) return next
      next.refuse('Nobody waits for the picture any more')
    }
    return undefined
  }
  /** Makes room for one of `key`: for what has left, or of whoever has more waiting than this one. */
  const makeRoom = (key: string): boolean => {
    let longest = key
    for (const [each, line] of lines) {
      const gone = line.find(({ isGone }) => isGone())
      if (gone) {
        remove(each, gone)
        gone.refuse('Nobody waits for the picture any more')
        return true
      }
      if (line.length > (lines.get(longest)?.length ?? 0)) longest = each
    }
    const last = longest === key ? undefined : lines.get(longest)?.at(-1)
    if (!last || (lines.get(longest)?.length ?? 0) <= (lines.get(key)?.length ?? 0) + 1) return false
    remove(longest, last)
    last.refuse('Others had a smaller share of those who wait')
    return true
  }
  const wait = ({ key = '', isGone = () => false }: Turn): Promise<void> => {
    if (waiting >= maxWaiting && !makeRoom(key))
      throw new MediaError('busy', 'Too many pictures wait to be processed')
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        remove(key, one)
        one.refuse('The picture waited too long')
      }, patienceMs)
      const one: Waiting = {
        isGone,
        accept() {
          clearTimeout(timer)
          resolve()
        },
        refuse(reason) {
          clearTimeout(timer)
          reject(new MediaError('busy', reason))
        },
      }
      lines.set(key, [...(lines.get(key) ?? []), one])
      waiting += 1
    })
  }

  return async function inTurn<T>(turn: Turn, work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await wait(turn)
    else running += 1
    try {
      return await withPlace(name, atOnce, work)
    } finally {
      const next = takeNext()
      // The place is handed over, so that a newcomer cannot slip in between.
      if (next) next.accept()
      else running -= 1
    }
  }
}

/** Decoded, a picture may take 200 MB, so both queues together work on few. */
const atOnce = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))

/** Uploads and variants wait apart: whoever asks for many sizes of a picture keeps nobody from uploading one. */
export const uploadTurn = createImageQueue({ name: 'uploads', atOnce, maxWaiting: 200, patienceMs: 60_000 })
export const variantTurn = createImageQueue({ name: 'variants', atOnce, maxWaiting: 200, patienceMs: 15_000 })
