import { withWireTimes } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import type { Context } from '#platform/context.ts'
import type { MemberRow } from './queries.ts'
import type { MemberRecord, MemberView } from './schema.ts'

export const memberRecord = (row: MemberRow): MemberRecord => ({
  ...withWireTimes(row),
  disabled: row.disabled ? 1 : 0,
})

/** Members with their users. */
export async function memberViews(ctx: Context, rows: MemberRow[], viewerId: number): Promise<MemberView[]> {
  const people = await userViews(
    ctx,
    ctx.sql,
    rows.map((row) => row.user_id),
    viewerId,
  )
  return rows.map((row) => ({ ...memberRecord(row), user: people.get(row.user_id) ?? null }))
}
