export { addReport, isAnyReported, mountReports } from './reports.ts'
