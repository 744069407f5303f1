import { wireTime } from '#lib/time.ts'
import type { Static } from '#platform/schema.ts'
import type { WithdrawalRow } from './queries.ts'
import type { Cash } from './schema.ts'

const STATUS = { pending: 0, passed: 1, rejected: 2 } as const

/** A withdrawal as its owner sees it. */
export const cashView = (row: WithdrawalRow): Static<typeof Cash> => ({
  id: row.id,
  user_id: row.owner_id,
  value: row.amount,
  type: row.type ?? '',
  account: row.account ?? '',
  status: STATUS[row.state],
  remark: row.remark,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})
