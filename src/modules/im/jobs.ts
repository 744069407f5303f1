import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { changeAccess, ensureAccounts, syncAccounts } from './accounts/service.ts'
import { reconcile, sweep } from './drift/service.ts'
import { registerEverybody } from './registrations/service.ts'
import { syncGroup } from './sync/service.ts'

const idOf = (payload: unknown) => (payload as { id: number }).id

/** Failures of the provider are kept with the account or group, which gets a new job: none of these gives up. */
export const imTasks = (ctx: Context): TaskList => ({
  user_created: async (payload) => {
    await ensureAccounts(ctx, ctx.sql, [idOf(payload)])
    await syncAccounts(ctx, [idOf(payload)])
  },
  user_access_changed: (payload) => changeAccess(ctx, idOf(payload)),
  im_account: async (payload) => void (await syncAccounts(ctx, [idOf(payload)])),
  im_accounts: async (payload) => void (await syncAccounts(ctx, (payload as { ids: number[] }).ids)),
  im_group: async (payload) => void (await syncGroup(ctx, idOf(payload))),
  im_register_everybody: (payload) => registerEverybody(ctx, idOf(payload)),
  im_sweep: () => sweep(ctx),
  im_reconcile: async () => void (await reconcile(ctx)),
})

export const imSchedules: Schedule[] = [
  { task: 'im_sweep', pattern: '* * * * *' },
  { task: 'im_reconcile', pattern: '23 4 * * *' },
]
