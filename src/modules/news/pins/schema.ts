import { UserView } from '#modules/accounts/index.ts'
import { CommentWithPeople } from '#modules/comments/index.ts'
import { Cursor, Id, Limit, Nullable, Time, Type } from '#platform/schema.ts'
import { NewsItem } from '../schema.ts'

export const PinsQuery = Type.Object({ after: Cursor, limit: Limit() })
export const PinnedQuery = Type.Object({ cate_id: Type.Optional(Id), limit: Limit(100) })

const pin = {
  id: Type.Integer(),
  channel: Type.String(),
  raw: Type.Integer({ description: 'The comment; 0 for an article' }),
  target: Type.Integer({ description: 'The article' }),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  amount: Type.Integer(),
  day: Type.Integer(),
  state: Type.String({ description: 'pending, active, expired, rejected or cancelled' }),
  expires_at: Nullable(Time),
  created_at: Time,
  updated_at: Time,
  news: Nullable(NewsItem),
}

/** My request to pin an article; the article is null when it is not published any more. */
export const NewsPin = Type.Object(pin)

/** A request that is addressed to me; article, comment and user are null when they are gone. */
export const NewsCommentPin = Type.Object({
  ...pin,
  comment: Nullable(CommentWithPeople),
  user: Nullable(UserView),
})

/** What a day costs on average. */
export const Average = Type.Object({ news: Type.Integer(), news_comment: Type.Integer() })
