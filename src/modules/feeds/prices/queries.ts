import { findPrices, type NodeRow } from '#modules/purchases/index.ts'
import type { Db } from '#platform/database'

/** Payment channel of whole feeds. */
export const FEED = 'feed'
/** Payment channel of pictures and other files. */
export const FILE = 'file'

/** Prices of feeds by id. */
export const findFeedPrices = (sql: Db, ids: number[], viewerId: number): Promise<Map<number, NodeRow>> =>
  findPrices(sql, FEED, ids, viewerId)
