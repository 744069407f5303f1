import { AsyncLocalStorage } from 'node:async_hooks'
import type { Send } from './statement.ts'

/** The account, address or row that statements are counted under, so that none takes the whole pool. */
export type RequestScope = {
  /** Keys to count under, each limited to a share of the connections. */
  keys: string[]
  /** Has held a connection before. Started work goes before new work. */
  isAdmitted: boolean
  /** The client is gone. */
  isGone: boolean
  /** The signed-in user. */
  userId?: number
  /** Client address of an anonymous request. */
  address?: string
  /** Sends the statements outside transactions of a guest's read to a replica. */
  replica?: Send | undefined
  /** Views to count when the guest cache sends the reply again. */
  shown?: (() => void)[]
}

/** Key of all requests that write, and of background writes of the server. */
export const WRITES_KEY = 'writes'

const scopes = new AsyncLocalStorage<RequestScope>()

export const createScope = (): RequestScope => ({ keys: [], isAdmitted: false, isGone: false })

/** Creates a caller for background writes, such as counts and jobs. */
export const createWriterScope = (): RequestScope => ({ ...createScope(), keys: [WRITES_KEY] })

/** Runs the work, and everything that follows from it, under the caller. */
export const runInScope = <T>(caller: RequestScope, work: () => T): T => scopes.run(caller, work)

/** Returns the current caller; undefined for background work such as jobs. */
export const currentScope = (): RequestScope | undefined => scopes.getStore()

/** Runs work on the primary, for values that members see too. */
export function onPrimary<T>(work: () => T): T {
  const caller = scopes.getStore()
  if (!caller?.replica) return work()
  return scopes.run(Object.create(caller, { replica: { value: undefined } }) as RequestScope, work)
}
