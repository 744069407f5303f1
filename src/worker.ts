import { fileSchedules, fileTasks } from '#modules/files/jobs.ts'
import { notificationSchedules, notificationTasks } from '#modules/notifications/jobs.ts'
import { tokenSchedules, tokenTasks } from '#modules/tokens/jobs.ts'
import type { Context } from '#platform/context.ts'
import { type JobsConnection, runJobs, type Schedule, type TaskList } from '#platform/jobs.ts'

/** Every job of the modules, by task name. */
const TASKS: ((ctx: Context) => TaskList)[] = [tokenTasks, fileTasks, notificationTasks]

/** What runs by the clock. */
const SCHEDULES: Schedule[] = [...tokenSchedules, ...fileSchedules, ...notificationSchedules]

/** Runs jobs on this context until stopped. By default inside the server; on its own with `kith worker`. */
export function startWorker(ctx: Context, connection: JobsConnection) {
  const tasks = Object.assign({}, ...TASKS.map((tasksOf) => tasksOf(ctx))) as TaskList
  return runJobs(connection, tasks, SCHEDULES, ctx.log)
}
