import { withWireTimes } from '#lib/time.ts'
import type { GroupCategoryRow } from './queries.ts'
import type { GroupCategory } from './schema.ts'

export const groupCategoryView = (row: GroupCategoryRow): GroupCategory => withWireTimes(row)
