import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { AppealRow } from './queries.ts'
import type { Appeal } from './schema.ts'

export const appealView = (row: AppealRow): Appeal => ({
  id: row.id,
  user_id: row.user_id,
  name: row.name,
  contents: row.contents,
  state: row.state,
  answer: row.answer,
  decided_by: row.decided_by,
  decided_at: wireTimeOrNull(row.decided_at),
  created_at: wireTime(row.created_at),
  sanction: {
    id: row.sanction_id,
    kind: row.kind,
    reason: row.reason,
    imposed_by: row.imposed_by,
    ends_at: wireTimeOrNull(row.ends_at),
    created_at: wireTime(row.imposed_at),
  },
})
