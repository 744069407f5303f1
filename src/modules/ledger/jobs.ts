import type { Context } from '#platform/context.ts'
import { deleteOldKeys } from '#platform/idempotency.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { writeCheckpoints } from './audit/queries.ts'

/** Jobs of the ledger. */
export const ledgerTasks = ({ sql }: Context): TaskList => ({
  async ledger_checkpoints() {
    await writeCheckpoints(sql)
  },
  async delete_old_idempotency_keys() {
    await deleteOldKeys(sql)
  },
})

export const ledgerSchedules: Schedule[] = [
  { task: 'ledger_checkpoints', pattern: '17 * * * *' },
  { task: 'delete_old_idempotency_keys', pattern: '41 * * * *' },
]
