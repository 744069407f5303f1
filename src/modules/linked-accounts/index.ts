export { linkTables } from './imports/thinksns.ts'
export { unlinkAll } from './queries.ts'
