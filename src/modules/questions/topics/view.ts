import { userViews } from '#modules/accounts/index.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import type { TopicRow } from './queries.ts'
import type { QuestionTopic } from './schema.ts'

/** A topic in a list; `has_follow` only where it was asked for. */
export function topicView(ctx: Context, row: TopicRow, { follow = false } = {}): QuestionTopic {
  const { has_follow, avatar, ...rest } = row
  return {
    ...rest,
    avatar: attachmentView(ctx, avatar)?.url ?? null,
    ...(follow ? { has_follow } : {}),
  }
}

/** People in the order of the ids; whoever was disabled meanwhile is left out. */
export async function peopleInOrder(ctx: Context, ids: number[], viewerId: number) {
  const people = await userViews(ctx, ctx.sql, ids, viewerId)
  return ids.flatMap((id) => people.get(id) ?? [])
}
