import { BACKUP_NAME } from '#backup/place.ts'
import { apiError } from '#platform/errors.ts'
import { Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noBackupPlace = apiError(
  409,
  'no_backup_place',
  'This server has no place for backups. Set BACKUP_TO first.',
  '服务器没有备份位置，请先设置 BACKUP_TO。',
)

export const noSuchBackup = apiError(
  404,
  'no_such_backup',
  'BACKUP_TO has no such backup.',
  '备份位置中没有该备份。',
)

export const badDownload = apiError(
  403,
  'bad_download',
  'This download has expired. Start it in the console again.',
  '下载已失效，请在管理后台重新开始。',
)

export const BackupParams = Type.Object({ backup: Text(64, { pattern: BACKUP_NAME }) })

const CHECK_STATES = ['waiting', 'running', 'good', 'failed'] as const

const BackupCheck = Shared('BackupCheck', {
  state: OneOf(CHECK_STATES),
  checked_at: Nullable({ ...Time, description: 'End of the last check' }),
  seconds: Nullable(Type.Number()),
  fault: Nullable(Type.String({ description: 'Why the backup cannot be restored' })),
})

const StoredBackup = Shared('StoredBackup', {
  name: Type.String(),
  bytes: Type.Integer(),
  made_at: Time,
  encrypted: Nullable(Type.Boolean({ description: 'Null when this database does not know' })),
  check: Nullable(BackupCheck),
})
export type StoredBackup = Static<typeof StoredBackup>

export const StoredBackups = Shared('StoredBackups', {
  place: Nullable(Type.String({ description: 'BACKUP_TO, null without one' })),
  fault: Nullable(
    Type.String({ description: 'Why the backups cannot be listed, in the language of the request' }),
  ),
  encrypts: Type.Boolean({ description: 'True when BACKUP_PASSPHRASE encrypts new backups' }),
  running: Type.Boolean({ description: 'True while a backup is waiting or running' }),
  data: Type.Array(StoredBackup, { description: 'The newest 100, the newest first' }),
})
export type StoredBackups = Static<typeof StoredBackups>

export const BackupDownload = Shared('BackupDownload', {
  url: Type.String({ description: 'Works with the cookie of this reply only' }),
  expires_at: Time,
})

export const BackupTest = Shared('BackupTest', {
  place: Type.Boolean({ description: 'True when BACKUP_TO is set' }),
  fault: Nullable(
    Type.String({ description: 'What is wrong and what to do, in the language of the request' }),
  ),
})

