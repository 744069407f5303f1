import { wireTimeOrNull, withWireTimes } from '#lib/time.ts'

type Decided = { created_at: string; updated_at: string; decided_at: string | null }

/** An order that is decided once, with its times as the wire shows them. */
export const withTimes = <T extends Decided>(row: T): T => ({
  ...withWireTimes(row),
  decided_at: wireTimeOrNull(row.decided_at),
})
