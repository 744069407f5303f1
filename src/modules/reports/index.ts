export { reportTables } from './imports/thinksns.ts'
export { mountReports, type ReportOptions } from './mount.ts'
export { addReport, type NewReport } from './queries.ts'
