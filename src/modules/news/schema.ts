import { RewardSum } from '#modules/rewards/index.ts'
import { UserView } from '#modules/users/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Cursor,
  FilterId,
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  MemberText,
  Nullable,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
} from '#platform/http'

export const noSuchNews = apiError(404, 'no_such_news', 'This article does not exist.', '资讯不存在。')
export const noSuchCategory = apiError(
  404,
  'no_such_category',
  'This category does not exist.',
  '分类不存在。',
)
export const notYourNews = apiError(
  403,
  'not_your_article',
  'Only the author of the article may do this.',
  '只有作者可以执行此操作。',
)

export const newsInThisState = apiError(
  422,
  'news_in_this_state',
  'The state of the article does not allow this.',
  '资讯在当前状态下不能执行此操作。',
)

const noCategory = ['no_such_category', 'This category does not exist.', '分类不存在。'] as const
export const unknownCategory = fieldError('category_id', ...noCategory)
export const unknownFollows = fieldError('follows', ...noCategory)
export const unknownTag = fieldError('tags', 'no_such_tag', 'This tag does not exist.', '标签不存在。')
export const unknownAuthor = fieldError(
  'user_id',
  'no_such_user',
  'This user does not exist.',
  '用户不存在。',
)

export const STATUS = {
  published: 0,
  waiting: 1,
  draft: 2,
  rejected: 3,
  recycled: 4,
  refundAsked: 5,
} as const

export const NEWS_PIN = 'news'
export const NEWS_COMMENT = 'news:comment'

export const NewsParams = Type.Object({ news: Id })
export const CategoryNewsParams = Type.Object({ category: Id, news: Id })
export const CategoryParams = Type.Object({ category: Id })

const NewsCategory = Shared('NewsCategory', { id: Type.Integer(), name: Type.String() })

export const NewsCategories = Shared('NewsCategories', {
  my_cates: Type.Array(NewsCategory),
  more_cates: Type.Array(NewsCategory),
})

export const NewsSubscription = Shared('NewsSubscription', {
  follows: IdList(1000, { description: 'Ids of categories, also separated by commas' }),
})

export const NewsListQuery = Type.Object({
  id: Type.Optional(IdList()),
  recommend: Type.Optional(Flag()),
  cate_id: FilterId,
  key: Type.Optional(Text(100, { description: 'Part of the title' })),
  q: WithAlias('key', Type.Optional(Text(100))),
  after: Cursor,
  limit: Type.Optional(Int(1, 100)),
})
export type NewsListQuery = Static<typeof NewsListQuery>

/** Article in a list. `subject` is an excerpt by the author, or the first words of the text. */
export const NewsItem = Shared('NewsItem', {
  id: Type.Integer(),
  title: Type.String(),
  subject: Type.String(),
  from: Nullable(Type.String()),
  author: Type.String({ description: 'Name that the author gave, or else the user name' }),
  user_id: Type.Integer(),
  category: Shared('RankedNewsCategory', { id: Type.Integer(), name: Type.String(), rank: Type.Integer() }),
  image: Nullable(Shared('NewsImage', { id: Type.Integer(), size: Nullable(Type.String()) })),
  is_recommend: Type.Integer({ description: '1 when recommended by an editor' }),
  digg_count: Type.Integer(),
  comment_count: Type.Integer(),
  hits: Type.Integer(),
  contribute_amount: Type.Integer({ description: 'Fee paid for its publication, in points' }),
  audit_status: Type.Integer({
    description: '0 published, 1 pending, 2 draft, 3 rejected, 4 recycled, 5 refund requested',
  }),
  audit_count: Type.Integer({ description: 'Number of rejections' }),
  created_at: Time,
  updated_at: Time,
  has_collect: Type.Boolean(),
  has_like: Type.Boolean(),
})
export type NewsItem = Static<typeof NewsItem>

export const NewsTag = Shared('NewsTag', { id: Type.Integer(), name: Type.String() })

export const NewsDetail = Shared('NewsDetail', {
  ...NewsItem.properties,
  ...MemberText('content', { of: 'news', format: 'markdown' }, Type.String()),
  text_content: Type.String({ description: 'Content as plain text' }),
  tags: Type.Array(NewsTag),
  user: Nullable(UserView),
  is_pinned: Type.Boolean(),
  reward: RewardSum,
})
export type NewsDetail = Static<typeof NewsDetail>

export const CorrelationsQuery = Type.Object({ limit: Limit(3) })

export const CollectedQuery = Type.Object({ after: Cursor, limit: Limit() })
