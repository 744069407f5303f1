export { checkinChecks, checkinCounters } from './counters.ts'
export { checkinsOff } from './errors.ts'
export { checkinTables } from './imports/thinksns.ts'
export { requireCheckins } from './service.ts'
