import type { TextServiceName, TextSettings } from '#platform/config'

export type SettingsOf<Name extends TextServiceName> = NonNullable<TextSettings[Name]>

/** Messages with the purpose `alert` report a changed credential of the user's account. */
export const TEXT_PURPOSES = ['code', 'alert', 'message'] as const
export type TextPurpose = (typeof TEXT_PURPOSES)[number]

/** `phone` has eleven digits in mainland China. Numbers of other countries start with `+` and the country code. */
export type TextMessage = {
  phone: string
  text: string
  purpose: TextPurpose
  code?: string
  /** Name of the site, for services that sign no message. */
  site?: string
}

export type Wording = { template?: string; signature?: string }

export type TextReceipt = { reference: string; delivered: boolean; fault?: string }

export type ReceiptNotice = { headers: Record<string, string | string[] | undefined>; body: string }

export type TextService = {
  /** Returns the id that the service gave the message, or null without an id. Throws `SmsError`. */
  send(message: TextMessage, wording: Wording): Promise<string | null>
  /** Sends a request that has no effect and fails when the secret is invalid. */
  check(): Promise<void>
  receipts?: {
    /** Throws `BadReceipt` for an unreadable or unsigned delivery report. */
    read(notice: ReceiptNotice): TextReceipt[]
    /** Response that keeps the service from repeating its delivery report. */
    acknowledgement: { type: string; body: string }
  }
}

/** Error messages omit the phone number and text of the SMS, because Kith logs and stores error messages. */
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

export class BadReceipt extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'BadReceipt'
  }
}

/** Adds +86 to numbers of mainland China, because Kith stores these numbers without country code. */
export const withCountryCode = (phone: string): string => (phone.startsWith('+') ? phone : `+86${phone}`)

/** Returns error codes only, because the texts of errors may contain the phone number. */
export const faultCode = (value: unknown): string =>
  /^[\w.:-]{1,80}$/.test(String(value)) ? String(value) : 'an unknown fault'
