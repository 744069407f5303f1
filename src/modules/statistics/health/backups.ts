import { type Actor, recordAudit } from '#modules/audit/index.ts'
import type { Context } from '#platform/context.ts'
import { transaction } from '#platform/database'
import { apiError } from '#platform/errors.ts'
import { addJob } from '#platform/jobs'

export const noBackupPlace = apiError(
  403,
  'no_backup_place',
  'This server has no place for backups. Set BACKUP_TO first.',
  '服务器没有备份位置，请先设置 BACKUP_TO。',
)

/** Enqueues a backup. Repeated calls enqueue one, until the worker takes it. */
export async function startBackup(ctx: Context, actor: Actor): Promise<void> {
  const { backupTo } = ctx.config
  if (backupTo === undefined) throw noBackupPlace()
  await transaction(ctx.sql, async (tx) => {
    await addJob(tx, 'scheduled_backup', {}, { key: 'backup_now', maxAttempts: 1 })
    await recordAudit(tx, actor, {
      action: 'backups.create',
      subjectType: 'backups',
      subjectId: '*',
      after: { to: backupTo },
    })
  })
}
