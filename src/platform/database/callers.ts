import { AsyncLocalStorage } from 'node:async_hooks'
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
