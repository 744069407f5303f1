export { readBootAdvertisements } from './service.ts'
