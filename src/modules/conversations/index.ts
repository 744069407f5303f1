export { conversationTables } from './imports/thinksns.ts'
