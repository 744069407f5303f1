import { AttachmentView } from '#modules/files/index.ts'
import { apiError, fieldError } from '#platform/errors.ts'
import {
  Cursor,
  Direction,
  Id,
  IdList,
  Int,
  Nullable,
  OneOf,
  RawText,
  Shared,
  type Static,
  Text,
  Time,
  Type,
  WithAlias,
} from '#platform/http'

export const nameTaken = fieldError('name', 'name_taken', 'This name is taken.', '该用户名已被占用。')
export const nameReserved = fieldError(
  'name',
  'name_reserved',
  'This name is reserved.',
  '该用户名为系统保留。',
)
export const emailTaken = fieldError(
  'email',
  'email_taken',
  'This e-mail address is in use.',
  '该邮箱已被使用。',
)
export const phoneTaken = fieldError(
  'phone',
  'phone_taken',
  'This phone number is in use.',
  '该手机号已被使用。',
)

export const USER_CONSTRAINTS = {
  users_name_taken: nameTaken,
  users_email_taken: emailTaken,
  users_phone_taken: phoneTaken,
}

export const NAME_ERRORS = [nameTaken, nameReserved]

export const UserExtra = Shared('UserExtra', {
  user_id: Type.Integer(),
  likes_count: Type.Integer(),
  comments_count: Type.Integer(),
  followers_count: Type.Integer(),
  followings_count: Type.Integer(),
  feeds_count: Type.Integer(),
  questions_count: Type.Integer(),
  answers_count: Type.Integer(),
  checkin_count: Type.Integer(),
  last_checkin_count: Type.Integer(),
  updated_at: Time,
})

export const Verified = Shared('Verified', {
  type: Type.String(),
  icon: Nullable(Type.String()),
  description: Nullable(Type.String()),
})

/** `following`: this user follows the viewer. `follower`: the viewer follows this user. */
export const UserView = Shared('User', {
  id: Type.Integer(),
  name: Type.String(),
  bio: Nullable(Type.String()),
  sex: Type.Integer({ description: '0 unknown, 1 male, 2 female' }),
  location: Nullable(Type.String()),
  avatar: Nullable(AttachmentView),
  bg: Nullable(AttachmentView),
  verified: Nullable(Verified),
  created_at: Time,
  updated_at: Time,
  following: Type.Boolean(),
  follower: Type.Boolean(),
  blacked: Type.Boolean(),
  extra: UserExtra,
})
export type UserView = Static<typeof UserView>

export const UserWithUrls = Shared('UserWithUrls', {
  ...UserView.properties,
  avatar: Nullable(Type.String()),
  bg: Nullable(Type.String()),
})
export type UserWithUrls = Static<typeof UserWithUrls>

export const noSuchUser = apiError(404, 'no_such_user', 'This user does not exist.', '该用户不存在。')

/** `name` is a part of a name, or with `fetch_by=username` a list of whole names (sign-in-13). */
export const UserListQuery = Type.Object({
  id: Type.Optional(IdList(100)),
  name: Type.Optional(Text(2000)),
  q: WithAlias('name', Type.Optional(Text(2000))),
  fetch_by: Type.Optional(OneOf(['username'])),
  tags: Type.Optional(IdList(50)),
  since: Cursor,
  after: WithAlias('since', Cursor),
  order: Direction,
  limit: Type.Optional(Int(1, 100, { description: 'Default 15, or the number of requested ids or names' })),
})

/** Untrimmed, because an id has one spelling (conventions-4). */
export const UserKeyParams = Type.Object({ user: RawText(128) })

export const UserFlagsQuery = Type.Object({
  following: Type.Optional(Id),
  follower: Type.Optional(Id),
})

export const UserParams = Type.Object({ user: Id })
