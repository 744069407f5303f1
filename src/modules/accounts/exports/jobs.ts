import type { Context } from '#platform/context.ts'
import type { Schedule, TaskList } from '#platform/jobs.ts'
import type { PersonalTable } from '#platform/personal-data.ts'
import { makeExport, removeArchives, tidyExports } from './service.ts'

/** Jobs of exports; `tables` are what the modules above keep of people. */
export const exportTasks =
  (tables: readonly PersonalTable[]) =>
  (ctx: Context): TaskList => ({
    make_export: (payload, { job, abortSignal: signal }) =>
      makeExport(ctx, tables, (payload as { id: number }).id, {
        signal,
        isLast: job.attempts >= job.max_attempts,
      }),
    remove_exports: (payload) => removeArchives(ctx, (payload as { keys: string[] }).keys),
    tidy_exports: () => tidyExports(ctx),
  })

export const exportSchedules: Schedule[] = [{ task: 'tidy_exports', pattern: '41 * * * *' }]
