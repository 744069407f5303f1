export { findAddressBlock, networkOf, removeBlocksOfAddress } from './service.ts'
