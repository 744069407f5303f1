import { wireTime, wireTimeOrNull } from '#lib/time.ts'

type Decided = { created_at: string; updated_at: string; decided_at: string | null }

/** An order that is decided once, with its times as the wire shows them. */
export const withTimes = <T extends Decided>(row: T): T => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
  decided_at: wireTimeOrNull(row.decided_at),
})
