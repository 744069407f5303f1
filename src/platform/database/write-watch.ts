/** Time in milliseconds for which a failed write counts, because other writes may still succeed. */
const MEMORY_MS = 60_000

const FAULTS: Record<string, string> = {
  '53100': 'the disk of the database is full',
  '25006': 'the database is read-only',
  CONNECTION_UNCONFIRMED: 'the synchronous standby does not confirm commits',
}

export type WriteWatch = ReturnType<typeof createWriteWatch>

/** Notices that writes fail while reads succeed, for example because a disk is full or a standby is gone. */
export function createWriteWatch(now = () => performance.now()) {
  let last: { fault: string; at: number } | undefined
  const counts: (() => number)[] = []
  return {
    /** Adds a source of abandoned backends. They mostly wait for the standby. */
    addAbandoned: (count: () => number) => void counts.push(count),
    note(error: unknown): void {
      const fault = FAULTS[String((error as { code?: unknown } | null)?.code)]
      if (fault !== undefined) last = { fault, at: now() }
    },
    /** Returns the reason for which writes fail, or undefined. */
    fault(): string | undefined {
      if (counts.some((count) => count() > 0))
        return 'commits do not end, probably because the synchronous standby is gone'
      return last && now() - last.at < MEMORY_MS ? last.fault : undefined
    },
  }
}
