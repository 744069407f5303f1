import { zuluTime } from '#lib/time.ts'
import { attachmentView } from '#modules/files/index.ts'
import type { Context } from '#platform/context.ts'
import { overlayOf } from '#platform/pages/overlay.ts'
import { isTopicFollowed } from './people/queries.ts'
import type { TopicDetailRow, TopicRow } from './queries.ts'
import type { TopicDetail, TopicItem } from './schema.ts'

/** Who reads: a guest, somebody, or nobody in a page of everybody who is signed in. */
type Reader = { id: number; standsIn?: true }

const isSignedIn = ({ id, standsIn }: Reader) => id > 0 || standsIn === true

/** What of topics depends on who asks. */
export const topicOverlay = overlayOf({ flags: { has_followed: isTopicFollowed }, apart: true })

/** A topic as lists show it; guests are not told of a following. */
export function topicItem(ctx: Context, row: TopicRow, viewer: Reader): TopicItem {
  const { has_followed, logo, created_at, ...rest } = row
  return {
    ...rest,
    logo: attachmentView(ctx, logo),
    created_at: zuluTime(created_at),
    ...(isSignedIn(viewer) ? { has_followed } : {}),
  }
}

/** A topic by itself; guests are not told of a following. */
export function topicDetail(ctx: Context, row: TopicDetailRow, viewer: Reader): TopicDetail {
  const { has_followed, logo, ...rest } = row
  return { ...rest, logo: attachmentView(ctx, logo), ...(isSignedIn(viewer) ? { has_followed } : {}) }
}
