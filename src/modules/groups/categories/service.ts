import type { Db } from '#platform/database'
import { noSuchCategory } from '../errors.ts'
import { findCategory } from './queries.ts'

/** Throws 404 for an unknown or hidden category. */
export async function requireCategory(sql: Db, id: number): Promise<void> {
  const category = await findCategory(sql, id)
  if (category?.status !== 0) throw noSuchCategory()
}
