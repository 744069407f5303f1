import { wireTime } from '#lib/time.ts'
import type { Db, Row, Tx } from '#platform/database'
import { apiError, type Language } from '#platform/errors.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchExport = apiError(
  404,
  'no_such_export',
  'This export does not exist.',
  '该数据导出不存在。',
)
export const exportNotReady = apiError(
  422,
  'export_not_ready',
  'This export cannot be downloaded: it is still running, has failed or has expired.',
  '该数据导出尚未完成、已失败或已过期，无法下载。',
)
export const exportRunning = apiError(
  422,
  'export_running',
  'An export of your data is already running. You will be notified when it is ready.',
  '你的数据正在导出，完成后会通知你。',
)
export const exportTooSoon = Object.assign(
  apiError(
    422,
    'export_too_soon',
    'You exported your data recently. Try again later.',
    '你最近已导出过数据，请稍后再试。',
  ),
  { adds: ['next_at'] as const },
)

export const exportTooSoonUntil = (time: string) => exportTooSoon({ extra: { next_at: wireTime(time) } })

export const badExportAddress = apiError(
  403,
  'bad_signature',
  'This link was altered or has expired. Request a new one.',
  '链接已失效或被修改，请重新获取。',
)

const EXPORT_STATES = ['waiting', 'ready', 'failed', 'expired'] as const

const fields = {
  id: Type.Integer(),
  state: OneOf(EXPORT_STATES),
  size: Nullable(Type.Integer({ description: 'Size of the archive in bytes' })),
  rows: Nullable(Type.Integer({ description: 'Number of exported entries' })),
  files: Nullable(Type.Integer({ description: 'Number of uploads in the archive' })),
  created_at: Time,
  finished_at: Nullable(Time),
  expires_at: Nullable(Time),
}

export const DataExport = Shared('DataExport', fields)
export type DataExport = Static<typeof DataExport>

export const OutsideExport = Shared('DataExportOutside', {
  ...fields,
  url: Nullable(Type.String({ description: 'Valid for an hour' })),
})

export const ExportParams = Type.Object({ export: Id })

export const ArchiveQuery = Type.Object({ json: Type.Optional(Text(10)) })

export const ArchiveAddress = Shared('DataExportAddress', {
  url: Type.String({ description: 'Valid for an hour, requires no token' }),
})

export const SignedExportQuery = Type.Object({
  expires: Type.Optional(Text(20)),
  signature: Type.Optional(Text(200)),
})

export type ExportRow = Row<
  'data_exports',
  'id' | 'size' | 'rows_count' | 'files_count' | 'created_at' | 'finished_at' | 'expires_at'
> & { state: (typeof EXPORT_STATES)[number] }

const columns = (sql: Db) =>
  sql`id, state, size, rows_count, files_count, created_at, finished_at, expires_at`

export const listExports = (sql: Db, userId: number, limit: number) => sql<ExportRow[]>`
  select ${columns(sql)} from data_exports where user_id = ${userId} order by id desc limit ${limit}`

export async function findExport(sql: Db, userId: number, id: number): Promise<ExportRow | undefined> {
  const [row] = await sql<ExportRow[]>`
    select ${columns(sql)} from data_exports where id = ${id} and user_id = ${userId}`
  return row
}

export async function findNextExport(tx: Tx, userId: number, hours: number): Promise<string | undefined> {
  // Locks the user. Otherwise two concurrent requests could both start an export.
  await tx`select from users where id = ${userId} for update`
  const [row] = await tx<{ next_at: string; is_past: boolean }[]>`
    select created_at + make_interval(hours => ${hours}) as next_at,
      created_at not between now() - make_interval(hours => ${hours}) and now() + interval '1 minute' as is_past
    from data_exports where user_id = ${userId} and state <> 'failed' order by id desc limit 1`
  return row === undefined || row.is_past ? undefined : row.next_at
}

export async function insertExport(
  tx: Tx,
  { userId, language, key }: { userId: number; language: Language; key: string },
): Promise<ExportRow> {
  const [row] = await tx<[ExportRow]>`
    insert into data_exports (user_id, language, storage_key) values (${userId}, ${language}, ${key})
    returning ${columns(tx)}`
  return row
}

export type WaitingRow = Row<'data_exports', 'id' | 'user_id' | 'storage_key'> &
  Row<'users', 'name'> & { language: Language }

export async function findWaiting(sql: Db, id: number): Promise<WaitingRow | undefined> {
  const [row] = await sql<WaitingRow[]>`
    select e.id, e.user_id, e.language, e.storage_key, u.name
    from data_exports e join users u on u.id = e.user_id and u.erased_at is null
    where e.id = ${id} and e.state = 'waiting'`
  return row
}

export async function finishExport(
  tx: Tx,
  id: number,
  made: { size: number; rows: number; files: number; days: number },
): Promise<string | undefined> {
  const [row] = await tx<{ expires_at: string }[]>`
    update data_exports set state = 'ready', size = ${made.size}, rows_count = ${made.rows},
      files_count = ${made.files}, finished_at = now(), expires_at = now() + make_interval(days => ${made.days})
    where id = ${id} and state = 'waiting' returning expires_at`
  return row?.expires_at
}

export const failExports = (tx: Tx, which: { id: number } | { olderThanDays: number }) => tx<
  Row<'data_exports', 'id' | 'user_id' | 'storage_key'>[]
>`
  update data_exports set state = 'failed', finished_at = now()
  where state = 'waiting' and ${
    'id' in which
      ? tx`id = ${which.id}`
      : tx`created_at < now() - make_interval(days => ${which.olderThanDays})`
  }
  returning id, user_id, storage_key`

export async function expireExports(
  tx: Tx,
  which: { userId: number; id: number } | { limit: number },
): Promise<string[]> {
  const rows = await tx<{ storage_key: string }[]>`
    update data_exports set state = 'expired', expires_at = least(expires_at, now()) where id in (
      select id from data_exports where state = 'ready' and ${
        'id' in which
          ? tx`id = ${which.id} and user_id = ${which.userId}`
          : tx`expires_at <= now() order by expires_at limit ${which.limit} for update skip locked`
      }
    ) returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

export async function deleteExportsOf(tx: Tx, userId: number): Promise<string[]> {
  const rows = await tx<{ storage_key: string }[]>`
    delete from data_exports where user_id = ${userId} returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

export const deleteOldExports = (sql: Db, days: number, limit: number) => sql`
  delete from data_exports where id in (
    select id from data_exports where created_at < now() - make_interval(days => ${days})
      and state in ('expired', 'failed') order by created_at limit ${limit}
  ) returning id`

/** Skips the check of the export's owner, because a signed URL authorizes the request. */
export async function findArchive(sql: Db, id: number): Promise<{ key: string; size: number } | undefined> {
  const [row] = await sql<{ key: string; size: number }[]>`
    select storage_key as key, size from data_exports where id = ${id} and state = 'ready' and expires_at > now()`
  return row
}
