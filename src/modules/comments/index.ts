export { commentCounters, commentsRecount } from './counters.ts'
export { exportComments, type ImportedComment, importComments } from './imports/queries.ts'
export { commentTables } from './imports/thinksns.ts'
export { type CommentOptions, mountComments } from './mount.ts'
export {
  type CommentRow,
  findComment,
  findComments,
  listCommentIds,
  listLatestComments,
  liveComment,
} from './queries.ts'
export { Comment, CommentSearchOfContent, CommentWithPeople } from './schema.ts'
export {
  type CommentRules,
  commentContent,
  deleteCommentsOf,
  removeComment,
} from './service.ts'
export { commentView, commentViews, peopleOf, showComments } from './view.ts'
