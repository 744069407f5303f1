import { withWireTimes } from '#lib/time.ts'
import type { Area } from './schema.ts'

/** A row as clients get it. */
export const areaView = (row: Area): Area => ({
  ...withWireTimes(row),
})
