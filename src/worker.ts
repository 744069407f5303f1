import { codeSchedules, codeTasks } from '#modules/accounts/codes/jobs.ts'
import { certificationTasks } from '#modules/certifications/jobs.ts'
import { commentSchedules, commentTasks } from '#modules/comments/jobs.ts'
import { feedSchedules, feedTasks } from '#modules/feeds/jobs.ts'
import { fileSchedules, fileTasks } from '#modules/files/jobs.ts'
import { groupTasks } from '#modules/groups/jobs.ts'
import { imSchedules, imTasks } from '#modules/im/jobs.ts'
import { ledgerSchedules, ledgerTasks } from '#modules/ledger/jobs.ts'
import { nearbySchedules, nearbyTasks } from '#modules/nearby/jobs.ts'
import { notificationSchedules, notificationTasks } from '#modules/notifications/jobs.ts'
import { pinningSchedules, pinningTasks } from '#modules/pinning/jobs.ts'
import { tokenSchedules, tokenTasks } from '#modules/tokens/jobs.ts'
import type { Context } from '#platform/context.ts'
import { type JobsConnection, runJobs, type Schedule, type TaskList } from '#platform/jobs.ts'

/** Every job of the modules, by task name. */
const TASKS: ((ctx: Context) => TaskList)[] = [
  tokenTasks,
  fileTasks,
  notificationTasks,
  ledgerTasks,
  codeTasks,
  certificationTasks,
  nearbyTasks,
  commentTasks,
  pinningTasks,
  feedTasks,
  groupTasks,
  imTasks,
]

/** What runs by the clock. */
const SCHEDULES: Schedule[] = [
  ...tokenSchedules,
  ...fileSchedules,
  ...notificationSchedules,
  ...ledgerSchedules,
  ...codeSchedules,
  ...nearbySchedules,
  ...commentSchedules,
  ...pinningSchedules,
  ...feedSchedules,
  ...imSchedules,
]

/** All tasks on one context. */
export const tasksOn = (ctx: Context): TaskList => Object.assign({}, ...TASKS.map((tasksOf) => tasksOf(ctx)))

/** Runs jobs on this context until stopped. By default inside the server; on its own with `kith worker`. */
export const startWorker = (ctx: Context, connection: JobsConnection) =>
  runJobs(connection, tasksOn(ctx), SCHEDULES, ctx.log)
