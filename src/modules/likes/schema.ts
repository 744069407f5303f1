import { UserView, UserWithUrls } from '#modules/accounts/index.ts'
import { Cursor, Limit, Nullable, Open, Shared, type Static, Time, Type } from '#platform/schema.ts'

const plain = {
  id: Type.Integer(),
  user_id: Type.Integer(),
  target_user: Type.Integer(),
  likeable_id: Type.Integer(),
  likeable_type: Type.String(),
  created_at: Time,
  updated_at: Time,
}

/** A like with who gave it; null for a disabled account (conventions-25). */
export const LikeWithUser = Shared('Like', { ...plain, user: Nullable(UserView) })
export type LikeWithUser = Static<typeof LikeWithUser>

/** The same with the person's pictures as addresses (feeds-20). */
export const LikeWithUrls = Shared('LikeWithUrls', { ...plain, user: Nullable(UserWithUrls) })

/** A like that I received; `likeable` is null when the content is deleted or no longer mine to see. */
export const ReceivedLike = Shared('ReceivedLike', { ...LikeWithUser.properties, likeable: Nullable(Open) })

export const LikesQuery = (standard = 15) => Type.Object({ limit: Limit(standard), after: Cursor })
