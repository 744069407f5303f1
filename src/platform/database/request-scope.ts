import { AsyncLocalStorage } from 'node:async_hooks'
import type { Send } from './statement.ts'

/** Identifies the caller of statements, so that no user, address or row can use the whole pool. */
export type RequestScope = {
  keys: string[]
  /** True once the caller has held a connection. Started work has priority over new work. */
  isAdmitted: boolean
  isGone: boolean
  userId?: number
  address?: string
  /** Sends a guest's statements to a replica, except in transactions. */
  replica?: Send | undefined
  /** View counters to run again when the guest cache repeats the response. */
  shown?: (() => void)[]
}

export const WRITES_KEY = 'writes'

const scopes = new AsyncLocalStorage<RequestScope>()

export const createScope = (): RequestScope => ({ keys: [], isAdmitted: false, isGone: false })

export const createWriterScope = (): RequestScope => ({ ...createScope(), keys: [WRITES_KEY] })

export const runInScope = <T>(caller: RequestScope, work: () => T): T => scopes.run(caller, work)

export const currentScope = (): RequestScope | undefined => scopes.getStore()

/** Bypasses the replica, for cached values that members receive too. */
export function onPrimary<T>(work: () => T): T {
  const caller = scopes.getStore()
  if (!caller?.replica) return work()
  return scopes.run(Object.create(caller, { replica: { value: undefined } }) as RequestScope, work)
}
