export { type LocatedArea, locateAddress } from './service.ts'
export { AREA_SETTINGS } from './settings.ts'
