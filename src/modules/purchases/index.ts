export { findUnpaidFile } from './purchases.ts'
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
