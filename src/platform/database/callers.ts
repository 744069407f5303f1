import { AsyncLocalStorage } from 'node:async_hooks'
import type { Query } from './connection.ts'
import type { Reading } from './reading.ts'

/** On whose behalf statements are sent, so that no one account or row gets the whole pool. */
export type Caller = {
  /** What is counted: at most a share of the connections is held for one key. */
  keys: string[]
  /** Has had a connection: what was begun is finished before anything new is. */
  isAdmitted: boolean
  /** Nobody waits for the answer any more. */
  isGone: boolean
  /** Who it is, where somebody is signed in. */
  userId?: number
  /** From where a guest asks. */
  address?: string
  /** Takes the statements outside transactions, where the route may read from a replica. */
  replica?: ((query: Query) => void) | undefined
  /** Something was written on its behalf. */
  hasWritten?: boolean
  /** For whom it was written, where that is somebody else than who asked: such as who signs in. */
  actsFor?: number
  /** Those whose work is done at once (together.ts): what is written is written on behalf of each. */
  all?: readonly Caller[]
  /** Told what the statements read, where the answer is to be kept. */
  reading?: Reading
}

const callers = new AsyncLocalStorage<Caller>()

/** A caller that has asked for nothing yet. */
export const newCaller = (): Caller => ({ keys: [], isAdmitted: false, isGone: false })

/** Does the work, with all that follows from it, on behalf of the caller. */
export const onBehalfOf = <T>(caller: Caller, work: () => T): T => callers.run(caller, work)

/** The caller of what runs now; undefined for work that nobody asked for, such as jobs. */
export const currentCaller = (): Caller | undefined => callers.getStore()

/** Does what has to see everything that was written, although the request may read from a replica. */
export function onPrimary<T>(work: () => T): T {
  const caller = callers.getStore()
  if (!caller?.replica) return work()
  return callers.run(Object.create(caller, { replica: { value: undefined } }) as Caller, work)
}

/** Says for whom the request of a guest writes, so that they see it at once. */
export function actFor(userId: number): void {
  const caller = callers.getStore()
  if (caller) caller.actsFor = userId
}
