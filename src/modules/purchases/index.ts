export {
  addPrice,
  closeSales,
  findPrices,
  movePrice,
  type NodeRow,
  type Price,
  priceOf,
  purchasesOf,
  removePrices,
  setPrices,
} from './queries.ts'

export { findUnpaidFile } from './service.ts'
