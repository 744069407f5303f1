export { mountReports } from './mount.ts'
export { addReport, isReported } from './queries.ts'
