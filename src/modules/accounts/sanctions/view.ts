import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { OwnSanctionRow, SanctionRow } from './queries.ts'
import type { OwnSanction, Sanction } from './schema.ts'

const times = (row: { ends_at: string | null; lifted_at: string | null; created_at: string }) => ({
  ends_at: wireTimeOrNull(row.ends_at),
  lifted_at: wireTimeOrNull(row.lifted_at),
  created_at: wireTime(row.created_at),
})

export const sanctionView = (row: SanctionRow): Sanction => ({
  ...row,
  ...times(row),
})

export const ownSanctionView = (row: OwnSanctionRow): OwnSanction => ({
  id: row.id,
  kind: row.kind,
  reason: row.reason,
  in_force: row.in_force,
  ...times(row),
  appeal:
    row.appeal_id === null
      ? null
      : {
          id: row.appeal_id,
          state: row.appeal_state ?? '',
          answer: row.appeal_answer,
          created_at: wireTime(row.appeal_created_at ?? ''),
        },
})
