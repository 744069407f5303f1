export { conversationTables } from './imports/thinksns.ts'
export { deleteFeedbackOf } from './queries.ts'
