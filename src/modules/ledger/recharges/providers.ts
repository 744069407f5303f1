import type { RechargeRow } from './queries.ts'

/** Somebody who takes money for us. */
export type PaymentProvider = {
  /**
   * Begins a payment and answers what the client needs to make it. A provider that tells of payments by itself
   * confirms them with `confirmRecharge`, under its own number of the payment, which counts once.
   */
  begin(order: RechargeRow, extra: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** Paid outside the system, quoting the code; an administrator who sees the payment confirms it by its reference. */
const manual: PaymentProvider = {
  begin: async (order) => ({
    id: `manual-${order.id}`,
    object: 'charge',
    channel: 'manual',
    order_no: String(order.id),
    amount: order.amount,
    currency: 'cny',
    paid: false,
    credential: { manual: { code: `KITH-${order.id}` } },
  }),
}

const PROVIDERS: Record<string, PaymentProvider> = { manual }

/** The provider of a name that settings and clients use. */
export const findProvider = (name: string): PaymentProvider | undefined =>
  Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
