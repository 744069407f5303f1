export { advertisingTables } from './imports/thinksns.ts'
export { readBootAdvertisements } from './service.ts'
