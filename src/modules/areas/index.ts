export { type LocatedArea, locateAddress } from './service.ts'
