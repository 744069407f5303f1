export { auditLedger, ledgerChecks, unmendable } from './audit/service.ts'
export { alreadyDecided, notEnough, notEnoughFor, switchedOff } from './errors.ts'
export {
  type Brought,
  balanceTables,
  bookBalances,
  oldWalletTables,
  setHolds,
  sumBalances,
} from './imports/thinksns/balances.ts'
export { orderTables } from './imports/thinksns/orders.ts'
export { forfeitBalances, returnWithdrawals } from './leavers/service.ts'
export { carryOut } from './movements/queries.ts'
export { balancesOf, findBalance, move, withFunds } from './movements/service.ts'

export type { People } from './people.ts'
export { type Ranked, rankByBalance, rankByIncome } from './ranks/queries.ts'
export { Amount, type Currency, type Movement, PLATFORM } from './schema.ts'
