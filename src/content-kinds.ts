import { FEED_KINDS } from '#modules/feeds/kinds.ts'
import { GROUP_KINDS } from '#modules/groups/kinds.ts'
import { MUSIC_KINDS } from '#modules/music/kinds.ts'
import { NEWS_KINDS } from '#modules/news/kinds.ts'
import { QUESTION_KINDS } from '#modules/questions/kinds.ts'
import { contentKinds } from '#platform/content.ts'

/** Every kind of content. A new one is added here and its routes in routes.ts: see CONTRIBUTING, "A new kind of content". */
export const CONTENT_KINDS = contentKinds([
  ...FEED_KINDS,
  ...MUSIC_KINDS,
  ...NEWS_KINDS,
  ...QUESTION_KINDS,
  ...GROUP_KINDS,
])
