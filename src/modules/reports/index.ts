export { reportTables } from './imports/thinksns.ts'
export { mountReports } from './mount.ts'
export { addReport } from './queries.ts'
