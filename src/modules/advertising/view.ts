import { wireTime, withWireTimes } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { AdvertisementRow } from './queries.ts'
import type { Advertisement, AdvertisingSpace } from './schema.ts'

/** A row as clients get it: stored pictures as their addresses. */
export const advertisementView = (ctx: Context, row: AdvertisementRow): Advertisement => ({
  ...row,
  data: Object.fromEntries(
    Object.entries(row.data).map(([field, value]) => [
      field,
      typeof value === 'object' ? (attachmentView(ctx, value)?.url ?? '') : value,
    ]),
  ),
  created_at: wireTime(row.created_at),
  updated_at: wireTime(row.updated_at),
})

export const spaceView = (row: AdvertisingSpace): AdvertisingSpace => ({
  ...withWireTimes(row),
})
