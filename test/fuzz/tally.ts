import type { Fault } from './replies.ts'

export type Tally = {
  count(operation: string, status: number, isMeantToSucceed: boolean, reason: string): void
  /** Counts a request that could not be made. */
  miss(operation: string, reason: string): void
  fault(operation: string, fault: Fault, request: string): void
  isDone(operation: string): boolean
  /** Status and code of the last refusal. */
  lastOf(operation: string): string | undefined
  readonly faults: ReadonlySet<string>
  readonly requests: number
  readonly succeeded: number
  /** Share of the operations that succeeded. */
  readonly share: number
  lines(): string[]
  /** Operations that never succeeded, with their last status. */
  unsuccessful(): string[]
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`

export function createTally(operations: string[], log: (line: string) => void = console.log): Tally {
  const statuses = new Map<number, number>()
  const done = new Set<string>()
  const last = new Map<string, string>()
  const faults = new Set<string>()
  const faultCounts = { 'a 5xx': 0, 'an undeclared status': 0, 'a schema violation': 0 }
  const variants = { all: 0, refused: 0 }
  let all = 0
  return {
    count(operation, status, isMeantToSucceed, reason) {
      all += 1
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (!isMeantToSucceed) {
        variants.all += 1
        variants.refused += Number(status >= 400)
        return
      }
      if (status < 400) done.add(operation)
      else if (status !== 401 || !last.has(operation)) last.set(operation, `${status} ${reason}`)
    },
    miss: (operation, reason) => void last.set(operation, reason),
    fault(operation, fault, request) {
      faultCounts[fault] += 1
      const name = `${operation}: ${fault}`
      if (!faults.has(name)) log(`${fault}: ${request}`)
      faults.add(name)
    },
    isDone: (operation) => done.has(operation),
    lastOf: (operation) => last.get(operation),
    faults,
    get requests() {
      return all
    },
    get succeeded() {
      return done.size
    },
    get share() {
      return done.size / Math.max(operations.length, 1)
    },
    lines() {
      const share = (from: number, to: number) =>
        percent(
          [...statuses]
            .filter(([status]) => status >= from && status < to)
            .reduce((sum, [, n]) => sum + n, 0),
          all,
        )
      return [
        `${all} requests: ${share(200, 300)} were 2xx, ${share(300, 400)} 3xx, ${share(400, 500)} 4xx, ${share(500, 600)} 5xx`,
        `  by status: ${[...statuses]
          .sort(([one], [other]) => one - other)
          .map(([status, n]) => `${status} ${n}`)
          .join(', ')}`,
        `  ${variants.all} were variants of successful ones, ${percent(variants.refused, variants.all)} refused`,
        `  faults: ${faultCounts['a 5xx']} × 5xx, ${faultCounts['an undeclared status']} undeclared statuses, ${faultCounts['a schema violation']} schema violations`,
        `  ${done.size} of ${operations.length} operations succeeded at least once, ${percent(done.size, operations.length)}`,
      ]
    },
    unsuccessful: () =>
      operations
        .filter((operation) => !done.has(operation))
        .map((operation) => `${operation}: ${last.get(operation) ?? 'not called'}`),
  }
}
