import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import type { Context } from '#platform/context.ts'
import type { ExportRow } from './queries.ts'
import type { DataExport } from './schema.ts'

const HOUR = 3_600_000

/** An export as its owner sees it. */
export const exportView = (row: ExportRow): DataExport => ({
  id: row.id,
  state: row.state,
  size: row.size,
  rows: row.rows_count,
  files: row.files_count,
  created_at: wireTime(row.created_at),
  finished_at: wireTimeOrNull(row.finished_at),
  expires_at: wireTimeOrNull(row.expires_at),
})

/** What the signature of an archive's address covers. */
export const archiveSignature = (id: number, expires: string) => `export\n${id}\n${expires}`

/** Where an archive is for the next hour, for whoever has the address. */
export function archiveAddress(ctx: Context, id: number): string {
  const expires = String(Date.now() + HOUR)
  const signature = ctx.secrets.sign(archiveSignature(id, expires))
  return `${ctx.config.publicUrl}/storage/exports/${id}?${new URLSearchParams({ expires, signature })}`
}
