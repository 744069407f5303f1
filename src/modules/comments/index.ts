export { commentCounters, commentsRecount } from './counters.ts'
export { exportComments, importComments } from './imports/queries.ts'
export { mountComments } from './mount.ts'
export {
  type CommentRow,
  findComment,
  findComments,
  listCommentIds,
  listLatestComments,
  lockableComment,
} from './queries.ts'
export { type Comment, CommentSearchOfContent, CommentWithPeople } from './schema.ts'
export {
  type CommentRules,
  commentContent,
  deleteCommentsOf,
  removeComment,
} from './service.ts'
export { commentsWithPeople, commentUserIds, commentView, commentViews } from './view.ts'
