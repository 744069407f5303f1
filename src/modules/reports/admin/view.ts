import { wireTime, wireTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { ReportRow } from './queries.ts'
import type { Report } from './schema.ts'

/** Rows with who reported and who published what is reported. */
export async function reportViews(ctx: Context, rows: ReportRow[], viewerId: number): Promise<Report[]> {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.flatMap((row) => [row.user_id, row.target_user]),
    viewerId,
  )
  return rows.map((row) => ({
    ...row,
    handled_at: wireTimeOrNull(row.handled_at),
    created_at: wireTime(row.created_at),
    updated_at: wireTime(row.updated_at),
    user: people.get(row.user_id) ?? null,
    target: people.get(row.target_user) ?? null,
  }))
}
