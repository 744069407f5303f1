export type Tally = {
  count(role: string, operation: string, status: number): void
  lines(): string[]
}

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(1)} %`

export function createTally(operations: number): Tally {
  const statuses = new Map<number, number>()
  const roles = new Map<string, { all: number; done: number; refused: number }>()
  const done = new Set<string>()
  let all = 0
  return {
    count(role, operation, status) {
      all += 1
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const kept = roles.get(role) ?? { all: 0, done: 0, refused: 0 }
      kept.all += 1
      if (status < 300) {
        kept.done += 1
        done.add(operation)
      } else if (status >= 400 && status < 500) kept.refused += 1
      roles.set(role, kept)
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
        ...[...roles].map(
          ([role, n]) =>
            `  ${role}: ${n.all}, ${percent(n.done, n.all)} 2xx, ${percent(n.refused, n.all)} 4xx`,
        ),
        `  by status: ${[...statuses]
          .sort(([one], [other]) => one - other)
          .map(([status, n]) => `${status} ${n}`)
          .join(', ')}`,
        `  ${done.size} of ${operations} operations answered 2xx at least once`,
      ]
    },
  }
}
