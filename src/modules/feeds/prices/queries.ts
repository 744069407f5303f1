import { findPrices, type NodeRow } from '#modules/purchases/index.ts'
import type { Db } from '#platform/database.ts'

/** The channel of feeds that have to be paid for as a whole. */
export const FEED = 'feed'
/** The channel of pictures and other files. */
export const FILE = 'file'

/** What feeds cost, by their ids. */
export const findFeedPrices = (sql: Db, ids: number[], viewerId: number): Promise<Map<number, NodeRow>> =>
  findPrices(sql, FEED, ids, viewerId)
