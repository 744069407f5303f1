import type { Db, Row, Tx } from '#platform/database'
import type { Language } from '#platform/errors.ts'
import type { EXPORT_STATES } from './schema.ts'

export type ExportRow = Row<
  'data_exports',
  'id' | 'size' | 'rows_count' | 'files_count' | 'created_at' | 'finished_at' | 'expires_at'
> & { state: (typeof EXPORT_STATES)[number] }

const columns = (sql: Db) =>
  sql`id, state, size, rows_count, files_count, created_at, finished_at, expires_at`

/** A user's exports, newest first. */
export const listExports = (sql: Db, userId: number, limit: number) => sql<ExportRow[]>`
  select ${columns(sql)} from data_exports where user_id = ${userId} order by id desc limit ${limit}`

export async function findExport(sql: Db, userId: number, id: number): Promise<ExportRow | undefined> {
  const [row] = await sql<ExportRow[]>`
    select ${columns(sql)} from data_exports where id = ${id} and user_id = ${userId}`
  return row
}

/**
 * Earliest time of the next export, set by the last one that did not fail. Undefined if the user may export
 * now.
 */
export async function findNextExport(tx: Tx, userId: number, hours: number): Promise<string | undefined> {
  // Serializes requests of one user.
  await tx`select from users where id = ${userId} for update`
  const [row] = await tx<{ next_at: string; is_past: boolean }[]>`
    select created_at + make_interval(hours => ${hours}) as next_at,
      created_at + make_interval(hours => ${hours}) <= now() as is_past
    from data_exports where user_id = ${userId} and state <> 'failed' order by id desc limit 1`
  return row === undefined || row.is_past ? undefined : row.next_at
}

export async function insertExport(
  tx: Tx,
  { userId, language, key }: { userId: number; language: Language; key: string },
): Promise<ExportRow> {
  const [row] = await tx<[ExportRow]>`
    insert into data_exports (user_id, language, storage_key) values (${userId}, ${language}, ${key})
    returning ${columns(tx)}`
  return row
}

export type WaitingRow = Row<'data_exports', 'id' | 'user_id' | 'storage_key'> &
  Row<'users', 'name'> & { language: Language }

/** A pending export with its user. */
export async function findWaiting(sql: Db, id: number): Promise<WaitingRow | undefined> {
  const [row] = await sql<WaitingRow[]>`
    select e.id, e.user_id, e.language, e.storage_key, u.name
    from data_exports e join users u on u.id = e.user_id and u.erased_at is null
    where e.id = ${id} and e.state = 'waiting'`
  return row
}

/** Marks an export as ready and returns its expiry. Undefined if it was cancelled. */
export async function finishExport(
  tx: Tx,
  id: number,
  made: { size: number; rows: number; files: number; days: number },
): Promise<string | undefined> {
  const [row] = await tx<{ expires_at: string }[]>`
    update data_exports set state = 'ready', size = ${made.size}, rows_count = ${made.rows},
      files_count = ${made.files}, finished_at = now(), expires_at = now() + make_interval(days => ${made.days})
    where id = ${id} and state = 'waiting' returning expires_at`
  return row?.expires_at
}

/** Marks exports as failed and returns their users. */
export const failExports = (tx: Tx, which: { id: number } | { olderThanDays: number }) => tx<
  Row<'data_exports', 'id' | 'user_id' | 'storage_key'>[]
>`
  update data_exports set state = 'failed', finished_at = now()
  where state = 'waiting' and ${
    'id' in which
      ? tx`id = ${which.id}`
      : tx`created_at < now() - make_interval(days => ${which.olderThanDays})`
  }
  returning id, user_id, storage_key`

/** Expires ready exports, one of a user or all past their expiry. Returns their storage keys. */
export async function expireExports(
  tx: Tx,
  which: { userId: number; id: number } | { limit: number },
): Promise<string[]> {
  const rows = await tx<{ storage_key: string }[]>`
    update data_exports set state = 'expired', expires_at = least(expires_at, now()) where id in (
      select id from data_exports where state = 'ready' and ${
        'id' in which
          ? tx`id = ${which.id} and user_id = ${which.userId}`
          : tx`expires_at <= now() order by expires_at limit ${which.limit} for update skip locked`
      }
    ) returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

/** Deletes a user's exports and returns their storage keys. */
export async function deleteExportsOf(tx: Tx, userId: number): Promise<string[]> {
  const rows = await tx<{ storage_key: string }[]>`
    delete from data_exports where user_id = ${userId} returning storage_key`
  return rows.map(({ storage_key }) => storage_key)
}

/** Deletes old export records without an archive. */
export const deleteOldExports = (sql: Db, days: number, limit: number) => sql`
  delete from data_exports where id in (
    select id from data_exports where created_at < now() - make_interval(days => ${days})
      and state in ('expired', 'failed') order by created_at limit ${limit}
  ) returning id`

/** Storage key of a ready export, without an ownership check. */
export async function findArchive(sql: Db, id: number): Promise<{ key: string; size: number } | undefined> {
  const [row] = await sql<{ key: string; size: number }[]>`
    select storage_key as key, size from data_exports where id = ${id} and state = 'ready' and expires_at > now()`
  return row
}
