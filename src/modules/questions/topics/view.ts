import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { QuestionTopicRow } from './queries.ts'
import type { QuestionTopic } from './schema.ts'

/** A topic in a list; `has_follow` only where it was asked for. */
export function topicView(ctx: Context, row: QuestionTopicRow, { follow = false } = {}): QuestionTopic {
  const { has_follow, avatar, ...rest } = row
  return {
    ...rest,
    avatar: attachmentView(ctx, avatar)?.url ?? null,
    ...(follow ? { has_follow } : {}),
  }
}
