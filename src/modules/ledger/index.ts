export { auditLedger, ledgerChecks, unrepairable } from './audit.ts'
export { forfeitBalances } from './deleted-accounts.ts'
export {
  balancesOf,
  findBalance,
  mapNotEnough,
  moveFunds,
  movementsClause,
  rankByBalance,
  rankByIncome,
} from './movements.ts'
export { findReceipt } from './payments/queries.ts'
export { paymentHealth } from './payments/reconcile.ts'
export {
  Amount,
  alreadyDecided,
  amountOf,
  type Currency,
  featureOff,
  IN_CURRENCY,
  IN_EITHER,
  IN_FEN,
  IN_POINTS,
  type Movement,
  type MovementKind,
  notEnough,
  notEnoughFor,
  PLATFORM_ACCOUNTS,
  type UserFunctions,
} from './schema.ts'
export { LEDGER_SETTINGS } from './settings.ts'
