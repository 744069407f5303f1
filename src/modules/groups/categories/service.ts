import type { Db } from '#platform/database.ts'
import { noSuchCategory } from '../errors.ts'
import { findCategory } from './queries.ts'

/** 404 for a category that is unknown or hidden. */
export async function requireCategory(sql: Db, id: number): Promise<void> {
  const category = await findCategory(sql, id)
  if (category?.status !== 0) throw noSuchCategory()
}
