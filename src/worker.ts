import { alertTasks } from '#modules/accounts/alerts/jobs.ts'
import { codeSchedules, codeTasks } from '#modules/accounts/codes/jobs.ts'
import { deletionSchedules, deletionTasks } from '#modules/accounts/deletion/jobs.ts'
import { exportSchedules, exportTasks } from '#modules/accounts/exports/jobs.ts'
import { letterTasks } from '#modules/accounts/letters/jobs.ts'
import { addressBlockSchedules, addressBlockTasks } from '#modules/address-blocks/jobs.ts'
import { certificationTasks } from '#modules/certifications/jobs.ts'
import { commentSchedules, commentTasks } from '#modules/comments/jobs.ts'
import { feedSchedules, feedTasks } from '#modules/feeds/jobs.ts'
import { fileSchedules, fileTasks } from '#modules/files/jobs.ts'
import { groupSchedules, groupTasks } from '#modules/groups/jobs.ts'
import { imSchedules, imTasks } from '#modules/im/jobs.ts'
import { ledgerSchedules, ledgerTasks } from '#modules/ledger/jobs.ts'
import { musicTasks } from '#modules/music/jobs.ts'
import { nearbySchedules, nearbyTasks } from '#modules/nearby/jobs.ts'
import { notificationSchedules, notificationTasks } from '#modules/notifications/jobs.ts'
import { pinningSchedules, pinningTasks } from '#modules/pinning/jobs.ts'
import { questionSchedules, questionTasks } from '#modules/questions/jobs.ts'
import { readSettings } from '#modules/settings/index.ts'
import { statisticSchedules, statisticTasks } from '#modules/statistics/jobs.ts'
import { tokenSchedules, tokenTasks } from '#modules/tokens/jobs.ts'
import { findBackupFault } from '#platform/backup/check.ts'
import { backupSchedules, backupTasks } from '#platform/backup/jobs.ts'
import type { Context } from '#platform/context.ts'
import { deleteFailedJobs } from '#platform/jobs/counts.ts'
import {
  addJob,
  type Crew,
  type JobsConnection,
  runJobs,
  type Schedule,
  type TaskList,
} from '#platform/jobs.ts'
import { ERASERS } from './erasure.ts'
import { PROBES } from './health.ts'
import { PERSONAL_DATA } from './personal-data.ts'
import { STATISTICS } from './statistics.ts'

const BATCH = 1000

/** Jobs that failed for good are kept for whoever looks into them, and then deleted with their payloads. */
const jobTasks = (ctx: Context): TaskList => ({
  async tidy_jobs() {
    const days = (await readSettings(ctx))['jobs:keep-failed-days']
    while ((await deleteFailedJobs(ctx.sql, days, BATCH)) === BATCH);
  },
})

const jobSchedules: Schedule[] = [{ task: 'tidy_jobs', pattern: '29 3 * * *' }]

/** Every job of the modules, by task name. */
const TASKS: ((ctx: Context) => TaskList)[] = [
  jobTasks,
  tokenTasks,
  addressBlockTasks,
  fileTasks,
  notificationTasks,
  ledgerTasks,
  alertTasks,
  letterTasks,
  deletionTasks(ERASERS),
  exportTasks(PERSONAL_DATA),
  codeTasks,
  certificationTasks,
  musicTasks,
  nearbyTasks,
  commentTasks,
  pinningTasks,
  feedTasks,
  questionTasks,
  groupTasks,
  imTasks,
  statisticTasks(STATISTICS, PROBES),
]

/** What runs by the clock. */
const SCHEDULES: Schedule[] = [
  ...jobSchedules,
  ...tokenSchedules,
  ...addressBlockSchedules,
  ...fileSchedules,
  ...notificationSchedules,
  ...ledgerSchedules,
  ...codeSchedules,
  ...deletionSchedules,
  ...exportSchedules,
  ...nearbySchedules,
  ...commentSchedules,
  ...pinningSchedules,
  ...feedSchedules,
  ...groupSchedules,
  ...questionSchedules,
  ...imSchedules,
  ...statisticSchedules,
]

/** All tasks on one context. */
export const tasksOn = (ctx: Context): TaskList => Object.assign({}, ...TASKS.map((tasksOf) => tasksOf(ctx)))

/**
 * What waits for somebody else's machine has workers of its own by who that is: a mail server that hangs delays mail, and
 * nothing that is done here. So has what takes long.
 */
const APART: { concurrency: number; names: string[] }[] = [
  { concurrency: 1, names: ['make_export'] },
  { concurrency: 4, names: ['send_code', 'alert_owner', 'send_letter'] },
  { concurrency: 4, names: ['push_notifications'] },
  { concurrency: 8, names: ['send_webhook'] },
  {
    concurrency: 4,
    names: [
      ...['user_created', 'user_access_changed', 'im_account', 'im_accounts', 'im_group'],
      ...['im_register_everybody', 'im_sweep', 'im_reconcile'],
    ],
  },
]

/** The tasks by who works on them: first all that need nobody else. */
function crewsOf(tasks: TaskList): Crew[] {
  const apart = APART.map(({ concurrency, names }) => ({
    concurrency,
    tasks: Object.fromEntries(
      names.map((name) => {
        const task = tasks[name]
        if (!task) throw new Error(`no module has a task ${name}`)
        return [name, task]
      }),
    ),
  }))
  const elsewhere = new Set(APART.flatMap(({ names }) => names))
  const inside = Object.fromEntries(Object.entries(tasks).filter(([name]) => !elsewhere.has(name)))
  return [{ concurrency: 3, tasks: inside }, ...apart]
}

/** Runs jobs on this context until stopped. By default inside the server; on its own with `kith worker`. */
export async function startWorker(ctx: Context, connection: JobsConnection) {
  void findBackupFault(ctx.config).then((fault) => fault && ctx.log.warn(fault))
  const running = await runJobs(
    connection,
    [...crewsOf(tasksOn(ctx)), { concurrency: 1, tasks: backupTasks(ctx, connection) }],
    [...SCHEDULES, ...backupSchedules(ctx.config)],
    ctx.log,
  )
  // What was found before this start may be long ago.
  await addJob(ctx.sql, 'check_health', {}, { key: 'check_health', maxAttempts: 1 })
  return running
}
