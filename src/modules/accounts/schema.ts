import { AttachmentView } from '#modules/files/index.ts'
import { Nullable, Shared, type Static, Time, Type } from '#platform/schema.ts'

/** What is counted of a person (sign-in-12). */
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

/** A certified identity. */
export const Verified = Shared('Verified', {
  type: Type.String(),
  icon: Nullable(Type.String()),
  description: Nullable(Type.String()),
})

/**
 * A person as anybody may see them (sign-in-9). `following`: this person follows the viewer; `follower`: the viewer
 * follows this person, read from the listed person's side. All three flags are false for a guest.
 */
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

/** A person with `avatar` and `bg` as addresses (sign-in-11). */
export const UserWithUrls = Shared('UserWithUrls', {
  ...UserView.properties,
  avatar: Nullable(Type.String()),
  bg: Nullable(Type.String()),
})
export type UserWithUrls = Static<typeof UserWithUrls>
