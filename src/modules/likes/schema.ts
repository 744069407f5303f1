import { UserView, UserWithUrls } from '#modules/accounts/index.ts'
import { Cursor, Limit, Nullable, Open, Shared, type Static, Time, Type } from '#platform/schema.ts'

/** A like (specification 2.7) without the person. */
export const Like = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  likeable_id: Type.Integer(),
  likeable_type: Type.String(),
  created_at: Time,
  updated_at: Time,
})
export type Like = Static<typeof Like>

/** A like with who gave it; null for a disabled account (decisions §2). */
export const LikeWithUser = Shared('Like', { ...Like.properties, user: Nullable(UserView) })
export type LikeWithUser = Static<typeof LikeWithUser>

/** The same with the person's pictures as addresses (specification 2.7). */
export const LikeWithUrls = Shared('LikeWithUrls', { ...Like.properties, user: Nullable(UserWithUrls) })

/** A like that I received; `likeable` is null when the thing is deleted or no longer mine to see. */
export const ReceivedLike = Type.Object({ ...LikeWithUser.properties, likeable: Nullable(Open) })

export const LikesQuery = (standard = 15) => Type.Object({ limit: Limit(standard), after: Cursor })
