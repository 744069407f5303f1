import type { Sql } from '#platform/database.ts'
import { type Caller, currentCaller, newCaller, onBehalfOf } from './callers.ts'
import { isRefusal } from './connection.ts'

/** How many are done at once: what is written by one statement stays small. */
const MOST = 100

type Waiting<Item, Result> = {
  item: Item
  caller: Caller
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** One caller for all whose work is done at once: it counts under what all of them count under. */
function callerOf(waiting: readonly { caller: Caller }[]): Caller {
  const callers = [...new Set(waiting.map(({ caller }) => caller))]
  const [first, ...others] = callers as [Caller, ...Caller[]]
  if (others.length === 0) return first
  return {
    ...newCaller(),
    keys: first.keys.filter((key) => others.every(({ keys }) => keys.includes(key))),
    isAdmitted: callers.some(({ isAdmitted }) => isAdmitted),
    all: callers,
  }
}

/**
 * Wraps work that changes a row which many may want to change at once, such as the counter of what they like. The first
 * to come goes ahead; who comes while the row is locked waits here, and all who wait are done by one transaction. So a row
 * is locked, and its change written to disk, once for all of them instead of once for each. `work` gets what is to be done
 * in the order in which it came, at least one, and answers a result for each.
 */
export function together<Item, Result>(work: (sql: Sql, items: Item[]) => Promise<Result[]>) {
  type Entry = Waiting<Item, Result>
  const queues = new WeakMap<object, Map<string, Entry[]>>()

  const run = async (sql: Sql, batch: Entry[]): Promise<void> => {
    try {
      const results = await onBehalfOf(callerOf(batch), () =>
        work(
          sql,
          batch.map(({ item }) => item),
        ),
      )
      batch.forEach(({ resolve }, position) => {
        resolve(results[position] as Result)
      })
    } catch (error) {
      // Refused, so that nothing of it is done: nobody fails for what is wrong with another's.
      if (batch.length > 1 && isRefusal(error)) for (const each of batch) await run(sql, [each])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (sql: Sql, key: string, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const rows = queues.get(sql) ?? new Map<string, Entry[]>()
      queues.set(sql, rows)
      const entry: Entry = { item, caller: currentCaller() ?? newCaller(), resolve, reject }
      const queue = rows.get(key)
      if (queue) {
        queue.push(entry)
        return
      }
      const waiting: Entry[] = []
      rows.set(key, waiting)
      const drain = async () => {
        for (let batch = [entry]; batch.length > 0; batch = waiting.splice(0, MOST)) await run(sql, batch)
        rows.delete(key)
      }
      void drain()
    })
}
