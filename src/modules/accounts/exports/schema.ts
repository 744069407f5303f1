import { wireTime } from '#lib/time.ts'
import { apiError } from '#platform/errors.ts'
import { Id, Nullable, OneOf, Shared, type Static, Text, Time, Type } from '#platform/http'

export const noSuchExport = apiError(404, 'no_such_export', 'You have no such export.', '没有该数据导出。')
export const exportNotReady = apiError(
  422,
  'export_not_ready',
  'This export is not there to be fetched: it is still being made, failed or is over.',
  '该数据导出尚未完成、已失败或已过期，无法下载。',
)
export const exportRunning = apiError(
  422,
  'export_running',
  'An export of your data is being made. You will be told when it is ready.',
  '您的数据正在导出中，完成后会通知您。',
)
/** The body adds the earliest time of the next export as `next_at`. */
export const exportTooSoon = Object.assign(
  apiError(
    422,
    'export_too_soon',
    'You took your data along a short while ago. Try again later.',
    '您近期已导出过数据，请稍后再试。',
  ),
  { adds: ['next_at'] as const },
)

export const exportTooSoonUntil = (time: string) => exportTooSoon({ extra: { next_at: wireTime(time) } })

export const badExportAddress = apiError(
  403,
  'bad_signature',
  'This address was changed or is no longer good: ask for a new one.',
  '链接已失效或被修改，请重新获取。',
)

export const EXPORT_STATES = ['waiting', 'ready', 'failed', 'expired'] as const

const fields = {
  id: Type.Integer(),
  state: OneOf(EXPORT_STATES),
  size: Nullable(Type.Integer({ description: 'bytes of the archive' })),
  rows: Nullable(Type.Integer({ description: 'how much it tells of' })),
  files: Nullable(Type.Integer({ description: 'how many uploads it holds' })),
  created_at: Time,
  finished_at: Nullable(Time),
  expires_at: Nullable(Time),
}

/** A personal data export (rights-9). */
export const DataExport = Shared('DataExport', fields)
export type DataExport = Static<typeof DataExport>

/** An export for a user who cannot sign in, with the URL of the archive once it is ready. */
export const OutsideExport = Shared('DataExportOutside', {
  ...fields,
  url: Nullable(Type.String({ description: 'good for an hour' })),
})

export const ExportParams = Type.Object({ export: Id })

/** `json` returns the URL instead of a redirect. */
export const ArchiveQuery = Type.Object({ json: Type.Optional(Text(10)) })

export const ArchiveAddress = Shared('DataExportAddress', {
  url: Type.String({ description: 'good for an hour, without a token' }),
})

export const SignedExportQuery = Type.Object({
  expires: Type.Optional(Text(20)),
  signature: Type.Optional(Text(200)),
})
