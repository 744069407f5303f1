import type { Db } from '#platform/database.ts'
import { ifGiven, when } from '#platform/sql.ts'
import type { Tables } from '#platform/tables.ts'
import type { IncomesQuery } from './schema.ts'

export type GroupIncomeRow = Tables['group_incomes']

/** What a group earned, newest first. */
export function listIncomes(sql: Db, groupId: number, query: IncomesQuery) {
  const { type = 'all', start, end, after = 0, limit = 15 } = query
  return sql<GroupIncomeRow[]>`
    select i.id, i.group_id, i.subject, i.type, i.amount, i.currency, i.user_id, i.created_at from group_incomes i
    where i.group_id = ${groupId} ${when(sql, type !== 'all', () => sql`and i.type = ${type === 'join' ? 1 : 2}`)}
      ${ifGiven(sql, start, (seconds) => sql`and i.created_at >= to_timestamp(${seconds}::bigint)`)}
      ${ifGiven(sql, end, (seconds) => sql`and i.created_at <= to_timestamp(${seconds}::bigint)`)}
      ${when(sql, after > 0, () => sql`and i.id < ${after}`)}
    order by i.id desc limit ${limit}`
}

/** Notes what an accepted pin of a post brought the founder. */
export async function addPinIncome(
  sql: Db,
  { groupId, subject, amount, userId }: { groupId: number; subject: string; amount: number; userId: number },
): Promise<void> {
  await sql`
    with earned as (
      insert into group_incomes (group_id, subject, type, amount, currency, user_id)
      values (${groupId}, ${subject}, 2, ${amount}, 'points', ${userId})
      returning group_id, amount
    )
    update group_counts n set pinned_income_count = n.pinned_income_count + e.amount
    from earned e where n.group_id = e.group_id`
}
