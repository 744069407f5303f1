export { mountReports, type ReportOptions } from './mount.ts'
export { addReport, type NewReport, type ReportRow } from './queries.ts'
export { ReportDecision, ReportListing, ReportSearch, ReportView } from './schema.ts'
export { getReport, handleReport, listReports } from './service.ts'
