import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { pinFields } from '#modules/pinning/index.ts'
import { Id, Limit, Nullable, Shared, Type } from '#platform/schema.ts'
import { NewsItem } from '../schema.ts'

export const PinnedQuery = Type.Object({ cate_id: Type.Optional(Id), limit: Limit(100) })

const pin = {
  ...pinFields,
  raw: Type.Integer({ description: 'The comment; 0 for an article' }),
  target: Type.Integer({ description: 'The article' }),
  news: Nullable(NewsItem),
}

/** My request to pin an article; the article is null when it is not published any more. */
export const NewsPin = Shared('ArticlePin', pin)

/** A request that is addressed to me; article, comment and user are null when they are gone. */
export const NewsCommentPin = Shared('ArticleCommentPin', {
  ...pin,
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

/** What a day costs on average. */
export const NewsPinAverage = Shared('ArticlePinAverage', {
  news: Type.Integer(),
  news_comment: Type.Integer(),
})
