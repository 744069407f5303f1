export { UserView, UserWithUrls } from './schema.ts'
export { findBlockers } from './users/queries.ts'
export { userView, userViews, withUrls } from './users/view.ts'
