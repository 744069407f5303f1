export { mountComments } from './mount.ts'
export {
  type CommentRow,
  commentCounters,
  commentsRecount,
  exportComments,
  findComment,
  findComments,
  importComments,
  listCommentIds,
  listLatestComments,
  lockableComment,
} from './queries.ts'
export { type Comment, CommentSearchOfContent, CommentWithPeople } from './schema.ts'
export {
  type CommentRules,
  commentContent,
  commentsWithPeople,
  commentUserIds,
  commentView,
  commentViews,
  deleteCommentsOf,
  removeCommentAsModerator,
} from './service.ts'
