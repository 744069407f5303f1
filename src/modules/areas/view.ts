import { wireTime } from '#lib/time.ts'
import type { Area } from './schema.ts'

/** A row as clients get it. */
export const areaView = (row: Area): Area => ({
  ...row,
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})
