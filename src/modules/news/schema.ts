import { UserView } from '#modules/accounts/index.ts'
import { RewardSum } from '#modules/rewards/index.ts'
import {
  Cursor,
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  SameAs,
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/schema.ts'

/** The states of an article (news-12). */
export const STATUS = {
  published: 0,
  waiting: 1,
  draft: 2,
  rejected: 3,
  recycled: 4,
  refundAsked: 5,
} as const

/** The channels of pins of articles, and of comments under them. */
export const NEWS_PIN = 'news'
export const NEWS_COMMENT = 'news:comment'

export const NewsParams = Type.Object({ news: Id })
export const CategoryNewsParams = Type.Object({ category: Id, news: Id })
export const CategoryParams = Type.Object({ category: Id })

/** A category. */
const NewsCategory = Shared('NewsCategory', { id: Type.Integer(), name: Type.String() })

/** All categories: those a person subscribes to, and the others. */
export const NewsCategories = Shared('NewsCategories', {
  my_cates: Type.Array(NewsCategory),
  more_cates: Type.Array(NewsCategory),
})

/** An empty `follows` ends the subscription (news-3). */
export const NewsSubscription = Shared('NewsSubscription', {
  follows: Text(10_000, { 'x-empty': true, description: 'ids of categories, with commas between' }),
})

export const NewsListQuery = Type.Object({
  id: Type.Optional(IdList()),
  recommend: Type.Optional(Flag()),
  cate_id: Type.Optional(Id),
  key: Type.Optional(Text(100, { description: 'a part of the title' })),
  q: SameAs('key', Type.Optional(Text(100))),
  after: Cursor,
  limit: Type.Optional(Int(1, 100)),
})
export type NewsListQuery = Static<typeof NewsListQuery>

/** An article in lists. `subject` is what the author gave, or the first words of the text. */
export const NewsItem = Shared('NewsItem', {
  id: Type.Integer(),
  title: Type.String(),
  subject: Type.String(),
  from: Nullable(Type.String()),
  author: Type.String({ description: 'as the author gave it, otherwise their name' }),
  user_id: Type.Integer(),
  category: Shared('RankedNewsCategory', { id: Type.Integer(), name: Type.String(), rank: Type.Integer() }),
  image: Nullable(Shared('NewsImage', { id: Type.Integer(), size: Nullable(Type.String()) })),
  is_recommend: Type.Integer({ description: '1 when an editor recommends it' }),
  digg_count: Type.Integer(),
  comment_count: Type.Integer(),
  hits: Type.Integer(),
  contribute_amount: Type.Integer({ description: 'the fee that was paid for its publication' }),
  audit_status: Type.Integer({
    description: '0 published, 1 waiting, 2 draft, 3 rejected, 4 recycled, 5 refund asked for',
  }),
  audit_count: Type.Integer({ description: 'how often it was rejected' }),
  created_at: Time,
  updated_at: Time,
  has_collect: Type.Boolean(),
  has_like: Type.Boolean(),
})
export type NewsItem = Static<typeof NewsItem>

/** A tag of an article. */
export const NewsTag = Shared('NewsTag', { id: Type.Integer(), name: Type.String() })

/** An article by itself; `content` is Markdown as written. */
export const NewsDetail = Shared('NewsDetail', {
  ...NewsItem.properties,
  content: Type.String(),
  text_content: Type.String({ description: 'the same as plain text' }),
  tags: Type.Array(NewsTag),
  user: Nullable(UserView),
  is_pinned: Type.Boolean(),
  reward: RewardSum,
})
export type NewsDetail = Static<typeof NewsDetail>

export const CorrelationsQuery = Type.Object({ limit: Limit(3) })

export const CollectedQuery = Type.Object({ after: Cursor, limit: Limit() })
