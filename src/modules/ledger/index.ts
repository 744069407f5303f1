export { auditLedger, ledgerChecks, unrepairable } from './audit/service.ts'
export { forfeitBalances } from './deleted-accounts/service.ts'
export { balancesOf, findBalance, mapNotEnough, moveFunds, movementsClause } from './movements/service.ts'
export { findReceipt } from './payments/queries.ts'
export { paymentHealth } from './payments/reconcile.ts'
export type { UserFunctions } from './people.ts'
export { type Ranked, rankByBalance, rankByIncome } from './ranks/queries.ts'
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
} from './schema.ts'
