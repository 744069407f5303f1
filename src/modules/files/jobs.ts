import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import { tidyNodes } from './nodes/service.ts'
import { removeFiles, tidyTemporary, tidyUploads } from './uploads/service.ts'
import { tidyVariants } from './variants/service.ts'

export const fileTasks = (ctx: Context): TaskList => ({
  remove_files: (payload) => removeFiles(ctx, (payload as { ids: number[] }).ids),
  tidy_files: async () => {
    await tidyTemporary()
    await ctx.storage.tidy()
    await tidyUploads(ctx)
    await tidyNodes(ctx)
  },
  tidy_variants: () => tidyVariants(ctx),
})

export const fileSchedules: Schedule[] = [
  { task: 'tidy_files', pattern: '23 * * * *' },
  { task: 'tidy_variants', pattern: '*/10 * * * *' },
]
