export type PaymentOrder = {
  /** The name of the order at the provider. */
  number: string
  method: string
  /** In the minor unit of `currency`. */
  amount: number
  currency: string
  title: string
  expiresAt: Date
  /** Address of the payer, which some providers ask for. */
  address: string
  /** Details of the client, such as the `openid` of a WeChat user. */
  extra: Record<string, unknown>
}

/**
 * Facts of a provider about an order. Each set of facts is complete in itself, so that they may arrive in any
 * order and more than once.
 */
export type PaymentFacts = {
  /** One of both names the order. */
  order?: string
  payment?: string
  status: 'unpaid' | 'paid' | 'failed' | 'expired' | 'unknown'
  /** Set with `paid`. */
  amount?: number
  currency?: string
  /** Sum of all refunds so far. */
  refunded?: number
  /** One refund, of a provider that tells no sum. */
  refund?: { number: string; amount: number; state: 'waiting' | 'done' | 'refused' }
  dispute?: 'open' | 'won' | 'lost'
}

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
  kind: 'payment' | 'refund'
  /** The provider's number of the payment. */
  payment: string
  order?: string
  amount: number
  currency: string
  /** Share that the provider kept, if its statement says so. */
  fee?: { amount: number; currency: string }
}

/** A request of a provider, with the bytes that it signed. */
export type Notice = { headers: Record<string, string | string[] | undefined>; body: string }

/** The body and type of a reply that makes the provider stop repeating its notice. */
export type Acknowledgement = { status: number; type: string; body: string }

export type PaymentService = {
  /** The charge for an amount of fen. Undefined when the currency cannot express it. */
  charge(fen: number): { amount: number; currency: string } | undefined
  /** The name of a detail without which a payment cannot be opened. */
  lacks?(order: Pick<PaymentOrder, 'method' | 'extra'>): string | undefined
  /** Opens the payment and returns what the client needs. Repeating it opens the same one. */
  begin(order: PaymentOrder): Promise<{ session: string | null; data: Record<string, unknown> | string }>
  /** Verifies a notice. Throws `BadNotice`; returns undefined when it is about something else. */
  readNotice(notice: Notice): Promise<PaymentFacts | undefined>
  acknowledgement: Acknowledgement
  find(order: { number: string; session: string | null }): Promise<PaymentFacts>
  /** Closes an unpaid order. Throws when it is paid or the provider does not answer. */
  close(order: { number: string; session: string | null }): Promise<void>
  /**
   * Refunds a part or all of a payment. Repeating the number refunds once. Throws a fault that is a refusal when
   * the refund will never happen. `refunded` is the sum of all refunds, where the provider tells it.
   */
  refund(refund: PaymentRefund): Promise<{ state: 'waiting' | 'done'; refunded?: number | undefined }>
  /** The time when the statement of a day exists, and the lines of that day. */
  stated: { readyAt(day: string): Date; lines(day: string): Promise<StatementLine[]> }
  /** A harmless request that needs the secret. */
  check(): Promise<void>
}

/** A notice that the provider did not sign, or not for this site. It is never processed. */
export class BadNotice extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadNotice'
  }
}

/** A provider that refused or did not answer. It never carries what was sent. */
export class PaymentFault extends Error {
  readonly status: number | undefined
  /** The provider's own name of the fault. */
  readonly code: string | undefined
  /** Whether the provider decided, so that a repetition changes nothing. */
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
