import { Busy } from '#platform/errors.ts'
import type { Caller } from './callers.ts'

const TICK_MS = 50
/** What one look at the waiting counts at most: a process that was held up for seconds has kept nobody waiting itself. */
const TICK_MOST_MS = 500
/** Who has begun is refused later than who has not: what was done for it would be lost. */
const ADMITTED_PATIENCE = 5

export type TurnsOptions<Place> = {
  places: Place[]
  /** How long a caller waits for its first place. */
  patienceMs: number
  maxWaiting: number
  /** The part of the places that one key may hold. */
  share: number
}

type Waiter<Place> = {
  caller: Caller | undefined
  isAdmitted: boolean
  /** How long it may wait, and how long it has. */
  patienceMs: number
  waitedMs: number
  isOver: boolean
  accept: (place: Place) => void
  refuse: (error: Error) => void
}

type Share<Place> = { held: number; parked: Waiter<Place>[] }

export type Turns<Place> = ReturnType<typeof createTurns<Place>>

/**
 * Hands out a fixed number of places, first come first served, but those who have begun before those who have not. Who
 * waits too long, or comes when too many wait, is refused with `Busy`; who would hold more than its share waits aside.
 */
export function createTurns<Place>({ places, patienceMs, maxWaiting, share }: TurnsOptions<Place>) {
  const idle = [...places]
  const admitted: Waiter<Place>[] = []
  const fresh: Waiter<Place>[] = []
  const all = new Set<Waiter<Place>>()
  const shares = new Map<string, Share<Place>>()
  const most = Math.max(1, Math.min(Math.ceil(places.length * share), places.length - 1))
  let timer: NodeJS.Timeout | undefined
  let lastTick = 0
  let pressure = 0
  let isClosed = false
  let onIdle: (() => void) | undefined

  const isLimited = (caller: Caller | undefined) => {
    if (caller) for (const key of caller.keys) if ((shares.get(key)?.held ?? 0) >= most) return key
    return undefined
  }
  const shareOf = (key: string) => {
    let found = shares.get(key)
    if (!found) {
      found = { held: 0, parked: [] }
      shares.set(key, found)
    }
    return found
  }
  const hold = (caller: Caller | undefined) => {
    if (!caller) return
    caller.isAdmitted = true
    for (const key of caller.keys) shareOf(key).held += 1
  }
  const leave = (waiter: Waiter<Place>, error: Error) => {
    waiter.isOver = true
    all.delete(waiter)
    waiter.refuse(error)
  }
  const tick = () => {
    const now = performance.now()
    const passed = Math.min(now - lastTick, TICK_MOST_MS)
    lastTick = now
    for (const waiter of all) {
      waiter.waitedMs += passed
      if (waiter.waitedMs >= waiter.patienceMs)
        leave(waiter, new Busy('no connection to the database came free in time'))
    }
    pressure = (fresh.find(({ isOver }) => !isOver)?.waitedMs ?? 0) / patienceMs
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
    for (const list of [admitted, fresh]) list.length = 0
    for (const [key, { held, parked }] of shares) {
      parked.length = 0
      if (held === 0) shares.delete(key)
    }
  }
  /** The next who may have a place; whose share is used up is put aside until some of it is given back. */
  const next = (): Waiter<Place> | undefined => {
    for (const list of [admitted, fresh])
      for (let waiter = list.shift(); waiter; waiter = list.shift()) {
        if (waiter.isOver) continue
        if (waiter.caller?.isGone && !waiter.isAdmitted) {
          leave(waiter, new Busy('the client has gone'))
          continue
        }
        const limit = isLimited(waiter.caller)
        if (limit === undefined) return waiter
        shareOf(limit).parked.push(waiter)
      }
    return undefined
  }
  const serve = () => {
    while (idle.length > 0) {
      const waiter = next()
      if (!waiter) break
      waiter.isOver = true
      all.delete(waiter)
      hold(waiter.caller)
      waiter.accept(idle.pop() as Place)
    }
    if (idle.length === places.length && all.size === 0) onIdle?.()
  }

  return {
    /** A place, if there is one at once; it comes back with `give`. */
    take(caller: Caller | undefined): Place | undefined {
      if (idle.length === 0 || isClosed || isLimited(caller) !== undefined) return undefined
      hold(caller)
      // The one that was used last: what it has prepared and read is still near.
      return idle.pop()
    },
    /** Waits for a place; exactly one of the two is called, later. */
    wait(caller: Caller | undefined, accept: Waiter<Place>['accept'], refuse: Waiter<Place>['refuse']): void {
      const isAdmitted = caller?.isAdmitted ?? false
      if (isClosed || (all.size >= maxWaiting && !isAdmitted)) {
        refuse(new Busy(`${isClosed ? 'the pool is closed to' : 'too many wait for'} the database`))
        return
      }
      const waiter = {
        caller,
        isAdmitted,
        patienceMs: patienceMs * (isAdmitted ? ADMITTED_PATIENCE : 1),
        waitedMs: 0,
        isOver: false,
        accept,
        refuse,
      }
      all.add(waiter)
      const limit = isLimited(caller)
      if (limit !== undefined) shareOf(limit).parked.push(waiter)
      else (isAdmitted ? admitted : fresh).push(waiter)
      if (timer) return
      lastTick = performance.now()
      timer = setInterval(tick, TICK_MS)
    },
    /** Gives a place back, or another instead of it. */
    give(place: Place, keys: readonly string[]): void {
      for (const key of keys) {
        const found = shareOf(key)
        found.held -= 1
        let freed = found.parked.shift()
        while (freed?.isOver) freed = found.parked.shift()
        if (freed) (freed.isAdmitted ? admitted : fresh).unshift(freed)
        else if (found.held === 0) shares.delete(key)
      }
      idle.push(place)
      serve()
    },
    /** How much of its patience the first who has had no place yet has used up, from 0 to 1. */
    pressure: () => pressure,
    /** How many wait. */
    waiting: () => all.size,
    /** How many places are held. */
    held: () => places.length - idle.length,
    /** Takes nobody any more; resolves when every place has come back. */
    async close(): Promise<void> {
      isClosed = true
      for (const waiter of [...all]) leave(waiter, new Busy('the connection to the database is closing'))
      if (idle.length < places.length) await new Promise<void>((resolve) => (onIdle = resolve))
      clearInterval(timer)
    },
  }
}
