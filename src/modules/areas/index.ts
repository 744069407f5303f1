export { areaTables } from './imports/thinksns.ts'
export { type LocatedArea, locateAddress } from './service.ts'
