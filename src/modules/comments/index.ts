export { commentCounters, commentsRecount } from './counters.ts'
export { exportComments, importComments } from './imports/queries.ts'
export { commentTables } from './imports/thinksns.ts'
export { mountComments } from './mount.ts'
export {
  type CommentRow,
  findComment,
  findComments,
  listCommentIds,
  listLatestComments,
  liveComment,
} from './queries.ts'
export { CommentSearchOfContent, CommentWithPeople } from './schema.ts'
export {
  type CommentRules,
  commentContent,
  commentRemoval,
  deleteCommentsOf,
  removeComment,
} from './service.ts'
export { commentViews, peopleOf, showComments } from './view.ts'
