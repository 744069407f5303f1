export { addReport, isAnyReported, mountReports, RequiredReason, requireReason } from './reports.ts'
