export { eraseConsents, type readSitePages, recordConsents } from './service.ts'
