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
  Shared,
  type Static,
  Text,
  Time,
  Type,
} from '#platform/schema.ts'

/** The states of an article (R §6.6). */
export const STATUS = {
  published: 0,
  waiting: 1,
  draft: 2,
  rejected: 3,
  recycled: 4,
  refundAsked: 5,
} as const

export const NewsParams = Type.Object({ news: Id })
export const CategoryNewsParams = Type.Object({ category: Id, news: Id })
export const CategoryParams = Type.Object({ category: Id })

/** A category (specification 2.8). */
export const Category = Shared('NewsCategory', { id: Type.Integer(), name: Type.String() })
export const Categories = Type.Object({ my_cates: Type.Array(Category), more_cates: Type.Array(Category) })

/** An empty `follows` ends the subscription (decisions §8). */
export const FollowsBody = Type.Object({
  follows: Text(10_000, { 'x-empty': true, description: 'ids of categories, with commas between' }),
})

export const NewsListQuery = Type.Object({
  id: Type.Optional(IdList()),
  recommend: Type.Optional(Flag()),
  cate_id: Type.Optional(Id),
  key: Type.Optional(Text(100, { description: 'a part of the title' })),
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
  author: Nullable(Type.String()),
  user_id: Type.Integer(),
  category: Type.Object({ id: Type.Integer(), name: Type.String(), rank: Type.Integer() }),
  image: Nullable(Type.Object({ id: Type.Integer(), size: Nullable(Type.String()) })),
  is_recommend: Type.Integer({ description: '1 when an editor recommends it' }),
  digg_count: Type.Integer(),
  comment_count: Type.Integer(),
  hits: Type.Integer(),
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

export const NewsTag = Type.Object({ id: Type.Integer(), name: Type.String() })

/** An article by itself; `content` is Markdown as written. */
export const NewsDetail = Type.Object({
  ...NewsItem.properties,
  content: Type.String(),
  tags: Type.Array(NewsTag),
  user: Nullable(UserView),
  is_pinned: Type.Boolean(),
  reward: RewardSum,
})
export type NewsDetail = Static<typeof NewsDetail>

export const CorrelationsQuery = Type.Object({ limit: Limit(3) })

/** What a contribution is made of. */
export const Contribution = Type.Object({
  title: Text(40, { minLength: 1 }),
  subject: Type.Optional(Nullable(Text(400))),
  content: Text(100_000, { minLength: 1 }),
  tags: IdList(20, { minItems: 1 }),
  image: Type.Optional(Nullable(Id)),
  from: Type.Optional(Nullable(Text(100))),
  author: Type.Optional(Nullable(Text(100))),
})
export type Contribution = Static<typeof Contribution>
export const ContributionChanges = Type.Partial(Contribution)

/** My articles of one state, or of all; of others only the published ones. */
export const ContributionsQuery = Type.Object({
  type: Type.Optional(Int(0, 5)),
  user: Type.Optional(Id),
  after: Cursor,
  limit: Limit(20),
})

/** An article of a person; `mark` tells its author why it was rejected. */
export const ContributionItem = Type.Object({ ...NewsItem.properties, mark: Nullable(Type.String()) })

export const CollectedQuery = Type.Object({ after: Cursor, limit: Limit() })
