import { findNewestBackup } from '#backup/place.ts'
import { type RunTrial, tryBackup } from '#backup/trial.ts'
import type { Probe } from '#contracts/health-check.ts'
import type { Context } from '#platform/context.ts'
import { HealthFault } from '#platform/health'

/** Restores the newest scheduled backup into a throw-away database. */
export async function checkNewestBackup(
  { config: { backupTo, s3 }, sql }: Pick<Context, 'config' | 'sql'>,
  run?: RunTrial,
): Promise<void> {
  const place = backupTo === undefined ? undefined : await findNewestBackup(backupTo, s3)
  if (place === undefined) throw new HealthFault('backup_missing')
  const reason = await tryBackup(sql, place, run)
  if (reason !== undefined) throw new HealthFault('backup_unusable', { place, reason })
}

export const backupCheckProbe: Probe = {
  part: 'backup_check',
  settings: 'BACKUP_TO',
  isSilent: true,
  isWeekly: true,
  isUsed: ({ config }) => config.backupTo !== undefined && config.backupCheck === 'weekly',
  check: (ctx) => checkNewestBackup(ctx),
}
