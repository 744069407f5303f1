import { zuluTime } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { TopicDetailRow, TopicRow } from './queries.ts'
import type { TopicDetail, TopicItem } from './schema.ts'

/** A topic as lists show it; guests are not told of a following. */
export function topicItem(ctx: Context, row: TopicRow, viewerId: number): TopicItem {
  const { has_followed, logo, created_at, ...rest } = row
  return {
    ...rest,
    logo: attachmentView(ctx, logo),
    created_at: zuluTime(created_at),
    ...(viewerId > 0 ? { has_followed } : {}),
  }
}

/** A topic by itself; guests are not told of a following. */
export function topicDetail(ctx: Context, row: TopicDetailRow, viewerId: number): TopicDetail {
  const { has_followed, logo, ...rest } = row
  return { ...rest, logo: attachmentView(ctx, logo), ...(viewerId > 0 ? { has_followed } : {}) }
}
