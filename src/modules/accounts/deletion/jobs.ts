import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { type Eraser, eraseAccount, eraseDue, sweepErased } from './service.ts'

/** Jobs of accounts that their owners delete; `erasers` are what the modules above do about it. */
export const deletionTasks =
  (erasers: readonly Eraser[]) =>
  (ctx: Context): TaskList => ({
    erase_account: (payload) => eraseAccount(ctx, erasers, (payload as { id: number }).id),
    erase_accounts: () => eraseDue(ctx),
    sweep_erased: () => sweepErased(ctx),
  })

export const deletionSchedules: Schedule[] = [
  { task: 'erase_accounts', pattern: '*/10 * * * *' },
  { task: 'sweep_erased', pattern: '37 3 * * *' },
]
