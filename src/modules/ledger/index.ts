export { type Audit, auditLedger, ledgerChecks, unmendable } from './audit/service.ts'
export { alreadyDecided, notEnough, notEnoughFor, switchedOff } from './errors.ts'
export {
  balanceTables,
  bookBalances,
  type Hold,
  oldWalletTables,
  setHolds,
} from './imports/thinksns/balances.ts'
export { orderTables } from './imports/thinksns/orders.ts'
export { carryOut } from './movements/queries.ts'
export { balancesOf, findBalance, move, withFunds } from './movements/service.ts'
export { listOrders } from './orders/queries.ts'
export { PointsOrder, WalletOrder } from './orders/schema.ts'
export { orderView, pointsOrderView } from './orders/view.ts'
export type { People } from './people.ts'
export { type Ranked, rankByBalance, rankByIncome } from './ranks/queries.ts'
export { Amount, type Currency, type Movement, type MovementKind, PLATFORM } from './schema.ts'
