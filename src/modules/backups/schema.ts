import { BACKUP_NAME } from '#backup/place.ts'
import { OwnerProof } from '#modules/accounts/index.ts'
import { apiError } from '#platform/errors.ts'
import { Int, MAX_ID, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noBackupPlace = apiError(
  403,
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

export const siteHasMembers = apiError(
  422,
  'site_has_members',
  'This site has members. Only a new site can be replaced by a backup here; elsewhere use kith restore.',
  '站点已有成员。此处只能用备份替换新站点，其他情况请使用 kith restore。',
)

export const noUpload = apiError(422, 'no_upload', 'Upload a backup first.', '请先上传备份。')

export const noBackupFile = apiError(
  422,
  'no_backup_file',
  'This file is not a backup of Kith.',
  '该文件不是 Kith 的备份。',
)

export const passphraseNeeded = apiError(
  422,
  'passphrase_needed',
  'This backup is encrypted. Set BACKUP_PASSPHRASE to its passphrase, and restart the server.',
  '该备份已加密。请将 BACKUP_PASSPHRASE 设为其密码短语，并重启服务器。',
)

export const partTooFar = apiError(
  422,
  'part_too_far',
  'An earlier part of this upload is missing. Start the upload again.',
  '缺少前面的分片，请重新上传。',
)

/** Size of one part of an upload, which passes every proxy with a common limit. */
export const PART_BYTES = 8 * 1024 * 1024

export const RestoreState = Shared('RestoreState', {
  possible: Type.Boolean({ description: 'True on a site without members' }),
  uploaded: Nullable(Type.Integer({ description: 'Bytes of the uploaded backup' })),
  requested: Type.Boolean({ description: 'True until the server has restarted' }),
  outcome: Nullable(
    Shared('RestoreOutcome', {
      ended_at: Time,
      fault: Nullable(Type.String({ description: 'Why the site is unchanged' })),
    }),
  ),
})
export type RestoreState = Static<typeof RestoreState>

export const RestoreUpload = Shared('RestoreUpload', {
  url: Type.String({ description: 'Accepts `PUT` of parts, with the cookie of this reply' }),
  part_bytes: Type.Integer({ description: 'Maximum size of a part' }),
})

export const RestoreBody = Shared('RestoreBody', {
  ...OwnerProof.properties,
  backup: Type.Optional(Text(64, { pattern: BACKUP_NAME, description: 'Absent for the uploaded file' })),
})

export const UploadQuery = Type.Object({ offset: Int(0, MAX_ID) })

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
