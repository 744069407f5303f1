import type { Db } from '#platform/database'
import { blocked } from '#platform/errors.ts'
import { findBlockers } from '../users/queries.ts'

/** Throws 403 if one of the other users blocks `userId` (conventions-26). */
export async function requireNotBlocked(sql: Db, userId: number, others: number[]): Promise<void> {
  if ((await findBlockers(sql, userId, others)).size > 0) throw blocked()
}
