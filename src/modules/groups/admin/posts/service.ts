import { type CommentRules, removeComment } from '#modules/comments/index.ts'
import { cancelPinOfTarget } from '#modules/pinning/index.ts'
import type { Context } from '#platform/context.ts'
import { noSuchPost } from '../../errors.ts'
import { COMMENT_PIN } from '../../pins/schema.ts'
import { commentRules, postContent } from '../../posts/content.ts'
import { findGroupOf } from '../../posts/queries.ts'

/** Deletes a comment of a post as an administrator of the site, for whom private groups are open. */
export async function removePostComment(
  ctx: Context,
  postId: number,
  commentId: number,
  moderatorId: number,
  onRemove: NonNullable<CommentRules['onRemove']>,
): Promise<void> {
  if ((await findGroupOf(ctx.sql, postId)) === undefined) throw noSuchPost()
  const rules: CommentRules = {
    ...commentRules,
    mayModerate: async () => true,
    async onRemove(tx, comment, target, viewerId) {
      await cancelPinOfTarget(tx, COMMENT_PIN, comment.id)
      await onRemove(tx, comment, target, viewerId)
    },
  }
  await removeComment(
    ctx,
    postContent,
    rules,
    { id: postId, ownerId: 0, contents: '' },
    moderatorId,
    commentId,
  )
}
