import { zuluTime } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { TopicDetailRow, TopicRow } from './queries.ts'
import type { TopicDetail, TopicItem } from './schema.ts'

/** A topic as lists show it. */
export const topicItem = (ctx: Context, { id, name, logo, created_at }: TopicRow): TopicItem => ({
  id,
  name,
  logo: attachmentView(ctx, logo),
  created_at: zuluTime(created_at),
})

/** A topic by itself; guests are not told of a following. */
export function topicDetail(ctx: Context, row: TopicDetailRow, viewerId: number): TopicDetail {
  const { has_followed, logo, ...rest } = row
  return { ...rest, logo: attachmentView(ctx, logo), ...(viewerId > 0 ? { has_followed } : {}) }
}
