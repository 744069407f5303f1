import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { MediaError } from './errors.ts'

export type ImageRequester = {
  /** User or client address of the request, for fair scheduling. Absent for internal work. */
  key?: string
  isGone?: () => boolean
}

type Options = {
  atOnce: number
  maxWaiting: number
  patienceMs: number
}

type Waiting = { isGone: () => boolean; accept: () => void; refuse: (reason: string) => void }

/**
 * Runs queued jobs of different users and client addresses in turn, so that one heavy user does not delay the
 * rest. A full queue evicts a job of the user or address with the most jobs.
 */
export function createImageQueue({ atOnce, maxWaiting, patienceMs }: Options) {
  // Queued jobs by key, in the order of the next turns. A served key is reinserted at the end.
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
      next.refuse('No request waits for the picture any longer')
    }
    return undefined
  }
  /** Evicts a job of a disconnected client, or else of a key with more queued jobs than `key`. */
  const evictFor = (key: string): boolean => {
    let longest = key
    for (const [each, line] of lines) {
      const gone = line.find(({ isGone }) => isGone())
      if (gone) {
        remove(each, gone)
        gone.refuse('No request waits for the picture any longer')
        return true
      }
      if (line.length > (lines.get(longest)?.length ?? 0)) longest = each
    }
    const last = longest === key ? undefined : lines.get(longest)?.at(-1)
    if (!last || (lines.get(longest)?.length ?? 0) <= (lines.get(key)?.length ?? 0) + 1) return false
    remove(longest, last)
    last.refuse('Other users have fewer pictures in the queue')
    return true
  }
  const wait = ({ key = '', isGone = () => false }: ImageRequester): Promise<void> => {
    if (waiting >= maxWaiting && !evictFor(key))
      throw new MediaError('busy', 'Too many pictures are waiting to be processed')
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

  return async function inTurn<T>(turn: ImageRequester, work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) await wait(turn)
    else running += 1
    try {
      return await work()
    } finally {
      const next = takeNext()
      // Hands the slot of the finished job to the next queued job, so that a new job cannot overtake the
      // queue.
      if (next) next.accept()
      else running -= 1
    }
  }
}

/** A decoded picture may take 200 MB, so each process decodes few pictures concurrently. */
const atOnce = cluster.isWorker ? 1 : Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))

export const runUpload = createImageQueue({ atOnce: 8, maxWaiting: 1_000, patienceMs: 60_000 })
/** Uploads have a separate queue, so that requests for many variants do not block them. */
export const runImageUpload = createImageQueue({
  atOnce,
  maxWaiting: 200,
  patienceMs: 60_000,
})
export const runVariant = createImageQueue({ atOnce, maxWaiting: 200, patienceMs: 15_000 })
