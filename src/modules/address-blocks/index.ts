export { findAddressBlock, freeAddress } from './service.ts'
