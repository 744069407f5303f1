export const TEXT_SERVICES = ['gateway', 'aliyun', 'tencent', 'yunpian', 'twilio'] as const
export type TextServiceName = (typeof TEXT_SERVICES)[number]

/** `alert`: a credential of the account changed. `message`: anything else. */
export const TEXT_PURPOSES = ['code', 'alert', 'message'] as const
export type TextPurpose = (typeof TEXT_PURPOSES)[number]

/** `phone` is normalized: eleven digits in mainland China, else `+` and all digits. */
export type TextMessage = { phone: string; text: string; purpose: TextPurpose; code?: string }

/** Template and signature for a message, absent without a line in the settings. */
export type Wording = { template?: string; signature?: string }

export type TextReceipt = { reference: string; delivered: boolean; fault?: string }

/** A request of a service, with its form or JSON as it came. */
export type ReceiptNotice = { headers: Record<string, string | string[] | undefined>; body: string }

export type TextService = {
  /** Sends a message and returns the service's name for it, if it has one. Throws `SmsError`. */
  send(message: TextMessage, wording: Wording): Promise<string | null>
  /** A harmless request that needs the secret. */
  check(): Promise<void>
  receipts?: {
    /** Throws `BadReceipt`. */
    read(notice: ReceiptNotice): TextReceipt[]
    /** The reply that makes the service stop repeating its report. */
    acknowledgement: { type: string; body: string }
  }
}

/** A rejected message. It never carries the number or the text. */
export class SmsError extends Error {
  readonly status: number | undefined
  /** True when a retry cannot succeed. */
  readonly permanent: boolean

  constructor(message: string, { status, permanent }: { status?: number; permanent?: boolean } = {}) {
    super(message)
    this.name = 'SmsError'
    this.status = status
    this.permanent =
      permanent ?? (status !== undefined && status < 500 && ![401, 403, 408, 425, 429].includes(status))
  }
}

/** A report that is unreadable or unsigned. */
export class BadReceipt extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadReceipt'
  }
}

/** A number with `+` and country code. */
export const withCountryCode = (phone: string): string => (phone.startsWith('+') ? phone : `+86${phone}`)

/** A code of a service for a fault. Other texts may repeat the number. */
export const faultCode = (value: unknown): string =>
  /^[\w.:-]{1,80}$/.test(String(value)) ? String(value) : 'an unknown fault'
