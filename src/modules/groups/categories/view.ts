import { withWireTimes } from '#lib/time.ts'
import type { GroupCategoryRow } from './queries.ts'
import type { GroupCategory } from './schema.ts'

/** A category as clients get it. */
export const groupCategoryView = (row: GroupCategoryRow): GroupCategory => withWireTimes(row)
