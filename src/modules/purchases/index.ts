export { listPriced, priceTables, purchaseTables } from './imports/thinksns.ts'
export {
  boughtBy,
  closeSales,
  dropPrices,
  findPrices,
  movePrice,
  type NodeRow,
  type Price,
  priceOf,
  purchaseChecks,
  setPrices,
} from './queries.ts'

export { findUnpaidFile } from './service.ts'
