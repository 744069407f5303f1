export { conversationTables } from './imports/thinksns.ts'
export { deleteFeedback } from './queries.ts'
