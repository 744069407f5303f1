import { zuluTime, zuluTimeOrNull } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { TopicRecordRow } from './queries.ts'
import type { TopicRecord } from './schema.ts'

/** Topics as reviewers see them, with their creators. */
export async function topicRecords(
  ctx: Context,
  rows: TopicRecordRow[],
  viewerId: number,
): Promise<TopicRecord[]> {
  const creators = rows.map((row) => row.creator_user_id)
  const people = await userViews(ctx, ctx.sql, creators, viewerId)
  return rows.map((row) => ({
    ...row,
    logo: attachmentView(ctx, row.logo),
    creator: people.get(row.creator_user_id) ?? null,
    hot_at: zuluTimeOrNull(row.hot_at),
    created_at: zuluTime(row.created_at),
    updated_at: zuluTime(row.updated_at),
  }))
}
