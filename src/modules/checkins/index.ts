export { checkinChecks, checkinCounters, checkinsDisabled, requireCheckins } from './service.ts'
