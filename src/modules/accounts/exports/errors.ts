import { wireTime } from '#lib/time.ts'
import { apiError } from '#platform/errors.ts'

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
export const exportTooSoon = apiError(
  422,
  'export_too_soon',
  'You took your data along a short while ago. Try again later.',
  '您近期已导出过数据，请稍后再试。',
)

/** The same with the time from which on another one may be asked for. */
export const exportTooSoonUntil = (time: string) => exportTooSoon({ extra: { next_at: wireTime(time) } })

export const badExportAddress = apiError(
  403,
  'bad_signature',
  'This address was changed or is no longer good: ask for a new one.',
  '链接已失效或被修改，请重新获取。',
)
