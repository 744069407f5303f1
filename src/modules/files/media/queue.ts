import cluster from 'node:cluster'
import { availableParallelism } from 'node:os'
import { MediaError } from './errors.ts'

export type ImageRequester = {
  /** User or client address of the request, for fair scheduling. Absent for internal work. */
  key?: string
  isGone?: () => boolean
}

type Waiting = { key: string; isGone: () => boolean; accept: () => void; refuse: (reason: string) => void }

const GONE = 'No request waits for the picture any longer'

/**
 * Runs queued jobs of different users and client addresses in turn, so that one heavy user does not delay the
 * rest. A full queue evicts a job of a user or address with more jobs, or else rejects the new job.
 */
export function createImageQueue(limits: { atOnce: number; maxWaiting: number; patienceMs: number }) {
  // Queued jobs by key, in the order of the next turns. A served key is reinserted at the end.
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  const drop = (one: Waiting, reason: string) => {
    const left = lines.get(one.key)?.filter((each) => each !== one) ?? []
    if (left.length > 0) lines.set(one.key, left)
    else lines.delete(one.key)
    waiting -= 1
    one.refuse(reason)
  }
  const takeNext = (): Waiting | undefined => {
    for (let [first] = lines; first; [first] = lines) {
      const [key, line] = first
      const next = line.shift() as Waiting
      waiting -= 1
      lines.delete(key)
      if (line.length > 0) lines.set(key, line)
      if (!next.isGone()) return next
      next.refuse(GONE)
    }
    return undefined
  }
  /** Evicts a job of a disconnected client, or else of the key with the most jobs, unless `key` would have as many. */
  const evictFor = (key: string): boolean => {
    const all = [...lines.values()]
    const gone = all.flat().find(({ isGone }) => isGone())
    const longest = all.reduce((most, line) => (line.length > most.length ? line : most), [])
    const last = longest.length > (lines.get(key)?.length ?? 0) + 1 ? longest.at(-1) : undefined
    if (gone) drop(gone, GONE)
    else if (last) drop(last, 'Other users have fewer pictures in the queue')
    return (gone ?? last) !== undefined
  }
  const wait = ({ key = '', isGone = () => false }: ImageRequester): Promise<void> => {
    if (waiting >= limits.maxWaiting && !evictFor(key))
      throw new MediaError('busy', 'Too many pictures are waiting to be processed')
    const { promise, resolve: accept, reject } = Promise.withResolvers<void>()
    const refuse = (reason: string) => reject(new MediaError('busy', reason))
    const one = { key, isGone, accept, refuse }
    lines.set(key, [...(lines.get(key) ?? []), one])
    waiting += 1
    const timer = setTimeout(() => drop(one, 'The picture waited too long'), limits.patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  return async function inTurn<T>(turn: ImageRequester, work: () => Promise<T>): Promise<T> {
    if (running >= limits.atOnce) await wait(turn)
    else running += 1
    try {
      return await work()
    } finally {
      const next = takeNext()
      // A finished job passes its slot to the next queued job, so that newer jobs cannot jump the queue.
      if (next) next.accept()
      else running -= 1
    }
  }
}

/** A decoded picture may take 200 MB, so each process decodes few pictures concurrently. */
const atOnce = cluster.isWorker ? 1 : Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)))

export const runUpload = createImageQueue({ atOnce: 8, maxWaiting: 1_000, patienceMs: 60_000 })
/** Separate from the queue of variants, so that requests for many variants do not block uploads. */
export const runImageUpload = createImageQueue({ atOnce, maxWaiting: 200, patienceMs: 60_000 })
export const runVariant = createImageQueue({ atOnce, maxWaiting: 200, patienceMs: 15_000 })
