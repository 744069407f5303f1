import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { tidyAddressBlocks } from './service.ts'

export const addressBlockTasks = (ctx: Context): TaskList => ({
  tidy_address_blocks: () => tidyAddressBlocks(ctx),
})

export const addressBlockSchedules: Schedule[] = [{ task: 'tidy_address_blocks', pattern: '23 3 * * *' }]
