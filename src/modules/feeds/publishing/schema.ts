import { MAX_AMOUNT } from '#lib/money.ts'
import { Id, IdList, Int, MAX_ID, OneOf, type Static, Text, Type } from '#platform/schema.ts'

/** What can be reposted (R §15.4). */
export const REPOSTABLE = ['feeds', 'news', 'groups', 'group-posts', 'questions', 'question-answers'] as const

/** The client's own mark of a post: an integer, or a text. `5` and `"5"` are the same mark. */
const FeedMark = Type.Unsafe<number | string>({
  type: ['integer', 'string'],
  minimum: 0,
  maximum: MAX_ID,
  minLength: 1,
  maxLength: 64,
})

/** Ids as a list of integers, a comma list, or a list of objects with `id`. */
const TopicIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(5),
  items: Type.Union([Id, Type.Object({ id: Id })]),
})

/** A picture, and what seeing it clearly or fetching its original costs. */
const NewImage = Type.Object({
  id: Id,
  amount: Type.Optional(Int(0, MAX_AMOUNT)),
  type: Type.Optional(OneOf(['read', 'download'] as const)),
})

export const NewFeed = Type.Object({
  feed_content: Type.Optional(Text(10_000)),
  feed_from: Int(1, 5, { description: '1 web, 2 mobile web, 3 iOS, 4 Android, 5 other' }),
  feed_mark: FeedMark,
  feed_latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  feed_longtitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  feed_geohash: Type.Optional(Type.String({ maxLength: 32, pattern: '^[0-9A-Za-z]+$' })),
  amount: Type.Optional(Int(0, MAX_AMOUNT, { description: 'What reading it costs; 0: nothing' })),
  images: Type.Optional(Type.Array(NewImage, { maxItems: 20 })),
  video: Type.Optional(Type.Object({ video_id: Id, cover_id: Id })),
  topics: Type.Optional(TopicIds),
  repostable_type: Type.Optional(OneOf(REPOSTABLE)),
  repostable_id: Type.Optional(Id),
})
export type NewFeed = Static<typeof NewFeed>
