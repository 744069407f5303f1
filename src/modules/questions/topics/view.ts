import { peopleOverlay } from '#modules/accounts/index.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import { isQuestionTopicFollowed, type QuestionTopicRow } from './queries.ts'
import type { QuestionTopic } from './schema.ts'

/** What of topics, and of people shown with them, depends on who asks. */
export const questionTopicOverlay = overlayOf(peopleOverlay, {
  flags: { has_follow: isQuestionTopicFollowed },
})

/** A topic in a list; `has_follow` only where it was asked for. */
export function topicView(ctx: Context, row: QuestionTopicRow, { follow = false } = {}): QuestionTopic {
  const { has_follow, avatar, ...rest } = row
  return {
    ...rest,
    avatar: attachmentView(ctx, avatar)?.url ?? null,
    ...(follow ? { has_follow } : {}),
  }
}
