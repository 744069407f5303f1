import { findBackupFault } from '#backup/check.ts'
import { backupSchedules, backupTasks } from '#backup/jobs.ts'
import { readSiteSettings } from '#modules/settings/index.ts'
import type { Context } from '#platform/context.ts'
import type { DatabaseAddress } from '#platform/database'
import {
  addJob,
  deleteFailedJobs,
  runJobs,
  type Schedule,
  type TaskList,
  type WorkerGroup,
} from '#platform/jobs'
import { POOLS, SCHEDULES, TASKS } from './site.ts'

const BATCH = 1000

const jobTasks = (ctx: Context): TaskList => ({
  async tidy_jobs() {
    const days = (await readSiteSettings(ctx))['jobs:keep-failed-days']
    while ((await deleteFailedJobs(ctx.sql, days, BATCH)) === BATCH);
  },
})

const jobSchedules: Schedule[] = [{ task: 'tidy_jobs', pattern: '29 3 * * *' }]

export const allTasks = (ctx: Context): TaskList =>
  Object.assign({}, ...[jobTasks, ...TASKS].map((tasksOf) => tasksOf(ctx)))

function workerGroupsOf(tasks: TaskList): WorkerGroup[] {
  const apart = POOLS.map(({ concurrency, names }) => ({
    concurrency,
    tasks: Object.fromEntries(
      names.map((name) => {
        const task = tasks[name]
        if (!task) throw new Error(`no module has a task ${name}`)
        return [name, task]
      }),
    ),
  }))
  const elsewhere = new Set(POOLS.flatMap(({ names }) => names))
  const inside = Object.fromEntries(Object.entries(tasks).filter(([name]) => !elsewhere.has(name)))
  return [{ concurrency: 3, tasks: inside }, ...apart]
}

export async function startWorker(ctx: Context, connection: DatabaseAddress) {
  void findBackupFault(ctx.config).then((fault) => fault && ctx.log.warn(fault))
  const running = await runJobs(
    connection,
    [...workerGroupsOf(allTasks(ctx)), { concurrency: 1, tasks: backupTasks(ctx, connection) }],
    [...jobSchedules, ...SCHEDULES, ...backupSchedules(ctx.config)],
    ctx.log,
  )
  // Checks the external services at once, because the stored results may come from before this start.
  await addJob(ctx.sql, 'check_health', {}, { key: 'check_health', maxAttempts: 1 })
  return running
}
