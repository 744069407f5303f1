export { addReport, isReported, mountReports } from './reports.ts'
