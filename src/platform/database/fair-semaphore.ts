import { AsyncLocalStorage } from 'node:async_hooks'
import { Busy } from '#platform/errors.ts'
import type { Send } from './statement.ts'

/** Caller of statements. A pool limits each key, so that no user and no route that writes can use the whole pool. */
export type RequestScope = {
  keys: string[]
  /** True once the caller has held a connection. Started work has priority over new work. */
  isAdmitted: boolean
  isGone: boolean
  /** Scope of the page that reads the API with this request. Their statements share batches. */
  page?: RequestScope | undefined
  userId?: number
  address?: string
  /** Sends a guest's statements to a replica, except in transactions. */
  replica?: Send | undefined
  /** Callbacks that count views. The guest cache calls the callbacks again on each hit. */
  shown?: (() => void)[]
}

export const WRITES_KEY = 'writes'

const scopes = new AsyncLocalStorage<RequestScope>()

export const createScope = (page?: RequestScope): RequestScope => ({
  keys: [],
  isAdmitted: false,
  isGone: false,
  page,
})

export const createWriterScope = (): RequestScope => ({ ...createScope(), keys: [WRITES_KEY] })

export const runInScope = <T>(caller: RequestScope, work: () => T): T => scopes.run(caller, work)

export const currentScope = (): RequestScope | undefined => scopes.getStore()

/**
 * Runs `work` on the primary. Otherwise a guest's request could load an outdated row from a replica into a
 * cache that also serves members.
 */
export function onPrimary<T>(work: () => T): T {
  const caller = scopes.getStore()
  if (!caller?.replica) return work()
  return scopes.run(Object.create(caller, { replica: { value: undefined } }) as RequestScope, work)
}

const TICK_MS = 50
/** Maximum wait counted per tick, so that callers do not time out while this process is paused. */
const TICK_MOST_MS = 500
/** Multiplies the timeout of admitted callers, because a timeout would waste their finished work. */
const ADMITTED_PATIENCE = 5

export type FairSemaphoreOptions<Place> = {
  places: Place[]
  patienceMs: number
  maxWaiting: number
  /** Fraction of the slots that one key may hold. */
  share: number
  /** Number of slots that a key may hold, for keys to which `share` does not apply. */
  limits?: ReadonlyMap<string, number>
}

type Waiter<Place> = {
  caller: RequestScope | undefined
  isAdmitted: boolean
  patienceMs: number
  waitedMs: number
  isOver: boolean
  accept: (place: Place) => void
  refuse: (error: Error) => void
}

type Share<Place> = { held: number; parked: Waiter<Place>[] }

export type FairSemaphore<Place> = ReturnType<typeof createFairSemaphore<Place>>

/**
 * Serves callers in order of arrival. A caller that has already held a slot takes precedence over new
 * callers. Rejects with `Busy` on timeout or a full queue, and parks callers over their limit.
 */
export function createFairSemaphore<Place>({
  places,
  patienceMs,
  maxWaiting,
  share,
  limits,
}: FairSemaphoreOptions<Place>) {
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

  const isLimited = (caller: RequestScope | undefined) => {
    if (caller)
      for (const key of caller.keys)
        if ((shares.get(key)?.held ?? 0) >= (limits?.get(key) ?? most)) return key
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
  const hold = (caller: RequestScope | undefined) => {
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
        leave(waiter, new Busy('no database connection became free in time'))
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
  const next = (): Waiter<Place> | undefined => {
    for (const list of [admitted, fresh])
      for (let waiter = list.shift(); waiter; waiter = list.shift()) {
        if (waiter.isOver) continue
        if (waiter.caller?.isGone && !waiter.isAdmitted) {
          leave(waiter, new Busy('the client has disconnected'))
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
    take(caller: RequestScope | undefined): Place | undefined {
      if (idle.length === 0 || isClosed || isLimited(caller) !== undefined) return undefined
      hold(caller)
      // Prefers the connection used last, because its plans are cached.
      return idle.pop()
    },
    wait(
      caller: RequestScope | undefined,
      accept: Waiter<Place>['accept'],
      refuse: Waiter<Place>['refuse'],
    ): void {
      const isAdmitted = caller?.isAdmitted ?? false
      if (isClosed || (all.size >= maxWaiting && !isAdmitted)) {
        refuse(new Busy(`${isClosed ? 'the pool is closed to' : 'too many requests wait for'} the database`))
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
    /** `pressure` is the fraction of the timeout that the first waiting caller has used (0 to 1). */
    state: () => ({ busy: places.length - idle.length, waiting: all.size, pressure }),
    async close(): Promise<void> {
      isClosed = true
      for (const waiter of [...all]) leave(waiter, new Busy('the connection to the database is closing'))
      if (idle.length < places.length) await new Promise<void>((resolve) => (onIdle = resolve))
      clearInterval(timer)
    },
  }
}
