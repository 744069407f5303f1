import { checkinChecks } from '#modules/checkins/index.ts'
import { ledgerChecks } from '#modules/ledger/index.ts'
import { pinChecks } from '#modules/pinning/index.ts'
import { purchaseChecks } from '#modules/purchases/index.ts'
import { rewardChecks } from '#modules/rewards/index.ts'
import type { CounterCheck } from '#platform/counters.ts'
import { CONTENT_KINDS } from './content-kinds.ts'

/** What has to hold between what people paid for and what the ledger says they paid. */
export const PAYMENT_CHECKS: CounterCheck[] = [
  ...pinChecks,
  ...purchaseChecks,
  ...rewardChecks,
  ...CONTENT_KINDS.flatMap(({ paymentChecks = [] }) => paymentChecks),
  ...checkinChecks,
]

/** The whole audit, as `kith doctor` runs it. */
export const MONEY_CHECKS: CounterCheck[] = [...ledgerChecks, ...PAYMENT_CHECKS]
