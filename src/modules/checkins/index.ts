export { checkinTables } from './imports/thinksns.ts'
export { checkinChecks, checkinCounters, listCheckinIds } from './queries.ts'
export { requireCheckins } from './service.ts'
