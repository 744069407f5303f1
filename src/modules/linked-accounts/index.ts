export { linkTables } from './imports/thinksns.ts'
