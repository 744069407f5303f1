export { addReport, isAnyReported, mountReports, RequiredReason } from './reports.ts'
