import type { PaymentSettings } from '#platform/config'

export type PaymentServiceName = keyof PaymentSettings
export type SettingsOf<Name extends PaymentServiceName> = NonNullable<PaymentSettings[Name]>

export type PaymentOrder = {
  number: string
  method: string
  /** Amount in the minor unit of `currency`. */
  amount: number
  currency: string
  title: string
  expiresAt: Date
  /** IP address of the payer, for providers that require the address. */
  address: string
  /** Details of the client that the payment method requires, such as the `openid` of a WeChat user. */
  extra: Record<string, unknown>
}

/**
 * State of an order as reported by the provider. Reports may arrive repeatedly and in any order.
 */
export type PaymentFacts = {
  /** At least one of `order` and `payment` is present and identifies the order. */
  order?: string
  payment?: string
  /** Checkout that was paid or closed, from providers with checkouts. */
  session?: string
  status: 'unpaid' | 'paid' | 'failed' | 'expired' | 'unknown'
  amount?: number
  currency?: string
  refunded?: number
  /** A single refund, from providers that do not report the total of an order's refunds in `refunded`. */
  refund?: { number: string; amount: number; state: 'waiting' | 'done' | 'refused' }
  /** A single refund on a statement of the providers that otherwise report the total. */
  stated?: { number: string; amount: number }
  dispute?: Dispute
  /** Amount that the payer's bank reclaims with the dispute. Without it, the bank reclaims the whole payment. */
  claim?: { number: string; amount: number; currency: string }
}

export type Dispute = 'open' | 'won' | 'lost'

export type PaymentRefund = {
  order: string
  payment: string
  charged: number
  currency: string
  number: string
  amount: number
  reason: string
}

export type StatementLine = {
  /** `refund_failed` and `payment_failed` report the failure of one that an earlier statement lists as completed. */
  kind: 'payment' | 'refund' | 'dispute' | 'refund_failed' | 'payment_failed'
  /** Number of the failed refund. */
  refund?: string
  payment: string
  order?: string
  amount: number
  currency: string
  fee?: { amount: number; currency: string }
  /** New state of the payment after a completed refund or a dispute. */
  news?: Pick<PaymentFacts, 'refund' | 'stated' | 'dispute' | 'claim'>
}

/** `body` has the exact bytes that the provider signed. */
export type Notice = { headers: Record<string, string | string[] | undefined>; body: string }

/** URL to which the payer returns from the provider. */
export const returnAddress = (returnUrl: string, order: string): string =>
  `${returnUrl}${returnUrl.includes('?') ? '&' : '?'}payment=${order}`

/** Response that keeps the provider from repeating its webhook request. */
export type Acknowledgement = { status: number; type: string; body: string }

export type PaymentService = {
  /**
   * Converts fen to the provider's currency. Returns undefined when the currency cannot express the amount.
   */
  charge(fen: number): { amount: number; currency: string } | undefined
  /** Returns the name of a client detail that the payment method requires and the order lacks. */
  lacks?(order: Pick<PaymentOrder, 'method' | 'extra'>): string | undefined
  /** Opens the payment at the provider and returns data for the client. A retry opens the same payment. */
  begin(order: PaymentOrder): Promise<{ session: string | null; data: Record<string, unknown> | string }>
  /**
   * Throws `BadNotice` when the webhook request cannot be verified. Returns undefined when the webhook
   * request concerns no payment of Kith.
   */
  readNotice(notice: Notice): Promise<PaymentFacts | undefined>
  acknowledgement: Acknowledgement
  find(order: { number: string; session: string | null }): Promise<PaymentFacts>
  /** Finds the order of a payment, for providers whose notices of disputes and refunds name only the payment. */
  orderOf?(payment: string): Promise<string | undefined>
  disputeOf?(payment: string): Promise<Pick<PaymentFacts, 'dispute' | 'claim'>>
  /** Closes an unpaid order. Throws when the order is paid or the provider does not answer. */
  close(order: { number: string; session: string | null }): Promise<void>
  /**
   * Refunds once per `number`. Throws a `PaymentFault` with `isRefusal` when the provider will never make the
   * refund.
   */
  refund(refund: PaymentRefund): Promise<{ state: 'waiting' | 'done'; refunded?: number | undefined }>
  /** `readyAt` returns the time from which the provider has a day's statement. */
  stated: { readyAt(day: string): Date; lines(day: string): Promise<StatementLine[]> }
  /** Sends a request that has no effect and fails when the secret is invalid. */
  check(): Promise<void>
}

/** Thrown for a webhook request with an invalid signature or time, or for another merchant or app. */
export class BadNotice extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadNotice'
  }
}

/** The error message omits the request's data, because the data may contain secrets. */
export class PaymentFault extends Error {
  readonly status: number | undefined
  readonly code: string | undefined
  /** True when the provider rejected the request for good, so that a retry cannot succeed. */
  readonly isRefusal: boolean

  constructor(
    message: string,
    {
      status,
      code,
      isRefusal = false,
    }: { status?: number; code?: string | undefined; isRefusal?: boolean } = {},
  ) {
    super(message)
    this.name = 'PaymentFault'
    this.status = status
    this.code = code
    this.isRefusal = isRefusal
  }
}
