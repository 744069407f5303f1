import { withWireTimes } from '#lib/time.ts'
import { userViews } from '#modules/accounts/index.ts'
import { commentViews } from '#modules/comments/index.ts'
import type { Context } from '#platform/context.ts'
import { postsById } from '../posts/view.ts'
import { groupsById } from '../view.ts'
import type { GroupReportRow } from './queries.ts'
import type { GroupReport } from './schema.ts'

/** Rows with the people and what is reported. */
export async function groupReportViews(
  ctx: Context,
  rows: GroupReportRow[],
  viewerId: number,
): Promise<GroupReport[]> {
  const all = (of: (row: GroupReportRow) => number) => [...new Set(rows.map(of))]
  const [people, groups, posts, comments] = await Promise.all([
    userViews(
      ctx,
      ctx.sql,
      rows.flatMap((row) => [row.user_id, row.target_id]),
      viewerId,
    ),
    groupsById(
      ctx,
      all((row) => row.group_id),
      viewerId,
    ),
    postsById(
      ctx,
      all((row) => row.post_id),
      viewerId,
    ),
    commentViews(
      ctx,
      rows.filter((row) => row.type === 'comment').map((row) => row.resource_id),
      viewerId,
    ),
  ])
  return rows.map(({ post_id, subject, ...row }) => ({
    ...withWireTimes(row),
    user: people.get(row.user_id) ?? null,
    target: people.get(row.target_id) ?? null,
    group: groups.get(row.group_id) ?? null,
    post: posts.get(post_id) ?? null,
    comment: (row.type === 'comment' ? comments.get(row.resource_id) : undefined) ?? null,
  }))
}
