import { MAX_AMOUNT } from '#lib/money.ts'
import { IN_EITHER } from '#modules/ledger/index.ts'
import { Tag } from '#modules/tags/index.ts'
import { UserView } from '#modules/users/index.ts'
import {
  Cursor,
  Flag,
  Id,
  IdList,
  Int,
  Limit,
  Nullable,
  Offset,
  OneOf,
  Shared,
  type Static,
  Text,
  TextList,
  Time,
  Type,
  WithAlias,
} from '#platform/http'

export const MODES = ['public', 'private', 'paid'] as const
export type Mode = (typeof MODES)[number]

export const ROLES = ['member', 'administrator', 'founder'] as const
export type Role = (typeof ROLES)[number]

/** Removes duplicate roles. The JSON schema has already rejected unknown roles. */
export const rolesOf = (roles: string[]): Role[] =>
  [...new Set(roles)].flatMap((role) => ROLES.filter((known) => known === role))

export const rankOf = (role: Role | undefined) => (role === undefined ? 0 : ROLES.indexOf(role) + 1)

export const MemberRecord = Shared('GroupMemberRecord', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  user_id: Type.Integer(),
  audit: Type.Integer({ description: '0 pending request to join, 1 member' }),
  role: OneOf(ROLES),
  disabled: Type.Integer({ description: '1 when blacklisted' }),
  created_at: Time,
  updated_at: Time,
})
export type MemberRecord = Static<typeof MemberRecord>

export const MemberView = Shared('GroupMember', { ...MemberRecord.properties, user: Nullable(UserView) })
export type MemberView = Static<typeof MemberView>

export const GroupCategoryParams = Type.Object({ category: Id })

export const GroupCategory = Shared('GroupCategory', {
  id: Type.Integer(),
  name: Type.String(),
  sort_by: Type.Integer(),
  status: Type.Integer({ description: '0 visible, 1 hidden' }),
  created_at: Time,
  updated_at: Time,
})
export type GroupCategory = Static<typeof GroupCategory>

export const GROUPS = 'groups'

export const GroupParams = Type.Object({ group: Id })

const GroupPicture = Shared('GroupPicture', { url: Type.String(), vendor: Type.String() })

export const Group = Shared('Group', {
  id: Type.Integer(),
  name: Type.String(),
  user_id: Type.Integer({ description: 'Creator of the group' }),
  category_id: Type.Integer(),
  avatar: Nullable(GroupPicture),
  location: Nullable(Type.String()),
  longitude: Nullable(Type.String()),
  latitude: Nullable(Type.String()),
  geo_hash: Nullable(Type.String()),
  allow_feed: Type.Integer({ description: '1 when posts may be copied to the feeds of their authors' }),
  mode: OneOf(MODES),
  permissions: Type.String({ description: 'Roles that may post, separated by commas' }),
  money: Type.Integer({ description: `Price to join. ${IN_EITHER.description}` }),
  summary: Nullable(Type.String()),
  notice: Nullable(Type.String()),
  users_count: Type.Integer(),
  posts_count: Type.Integer(),
  excellen_posts_count: Type.Integer(),
  join_income_count: Type.Integer({
    description: 'Sum of points and fen. Visible to the founder; 0 for other users',
  }),
  pinned_income_count: Type.Integer({ description: 'In points. Visible to the founder; 0 for other users' }),
  audit: Type.Integer({ description: '0 pending, 1 approved, 2 rejected' }),
  im_group_id: Nullable(Type.String()),
  created_at: Time,
  updated_at: Time,
  joined: Nullable(MemberRecord),
})
export type Group = Static<typeof Group>

export const GroupDetail = Shared('GroupDetail', {
  ...Group.properties,
  user: Nullable(UserView),
  tags: Type.Array(Tag),
  category: GroupCategory,
  founder: Nullable(MemberView),
  blacklist_count: Type.Integer(),
})
export type GroupDetail = Static<typeof GroupDetail>

export const MyGroup = Shared('MyGroup', { ...Group.properties, join_at: Type.Optional(Time) })
export type MyGroup = Static<typeof MyGroup>

const page = { limit: Limit(), offset: Offset, after: Cursor }

export const CategoryGroupsQuery = Type.Object(page)
export const GroupListQuery = Type.Object({
  ...page,
  keyword: Type.Optional(Text(100)),
  q: WithAlias('keyword', Type.Optional(Text(100))),
  category_id: Type.Optional(Id),
  id: Type.Optional(IdList()),
})
export type GroupListQuery = Static<typeof GroupListQuery>

export const RecommendedQuery = Type.Object({
  limit: Limit(20),
  offset: Offset,
  after: Cursor,
  type: Type.Optional(OneOf(['random'])),
})
export type RecommendedQuery = Static<typeof RecommendedQuery>

export const NearbyQuery = Type.Object({
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  ...page,
})
export type NearbyQuery = Static<typeof NearbyQuery>

export const UserGroupsQuery = Type.Object({
  user_id: Id,
  type: Type.Optional(OneOf(['join'])),
  ...page,
})
export const MyGroupsQuery = Type.Object({
  type: Type.Optional(OneOf(['join', 'audit', 'allow_post'], { default: 'join' })),
  limit: Limit(20),
  offset: Offset,
  after: Cursor,
})
export type MyGroupsQuery = Static<typeof MyGroupsQuery>

export const GroupCount = Shared('GroupCount', { count: Type.Integer() })
export const GroupProtocol = Shared('GroupProtocol', { protocol: Type.String() })

/** Accepts ids, a comma-separated string or objects with `id`. */
const TagIds = Type.Unsafe<(number | { id: number })[]>({
  ...IdList(5),
  items: Type.Union([Id, Shared('TagReference', { id: Id })]),
})

/** `avatar` is an upload id in a JSON body, and the file itself in a multipart form. */
export const NewGroup = Shared('NewGroup', {
  name: Text(50, { minLength: 1 }),
  avatar: Type.Optional(Id),
  tags: Type.Optional(TagIds),
  mode: OneOf(MODES),
  money: Type.Optional(Int(0, MAX_AMOUNT, IN_EITHER)),
  allow_feed: Type.Optional(Flag()),
  permissions: Type.Optional(TextList(3, 20, { items: { type: 'string', enum: ROLES } })),
  summary: Type.Optional(Nullable(Text(255))),
  notice: Type.Optional(Nullable(Text(2000))),
  location: Type.Optional(Text(255)),
  longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  latitude: Type.Optional(Type.Number({ minimum: -90, maximum: 90 })),
  geo_hash: Type.Optional(Text(32)),
})
export type NewGroup = Static<typeof NewGroup>

/** All fields are optional, because the handler validates `NewGroup` after it has read a multipart body. */
export const GroupForm = Type.Partial(NewGroup, { title: 'GroupForm' })

export const GroupChanges = Shared('GroupChanges', {
  ...Type.Partial(NewGroup).properties,
  category_id: Type.Optional(Id),
})
export type GroupChanges = Static<typeof GroupChanges>

export const GroupMade = Shared('GroupMade', { message: Type.Array(Type.String()), group: Group })
export const GroupBinding = Shared('GroupBinding', { id: Text(64, { minLength: 1 }) })
