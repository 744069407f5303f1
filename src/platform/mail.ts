import { isIP } from 'node:net'
import type { Transporter } from 'nodemailer'
import { messageOf } from '#lib/faults.ts'
import type { Log } from '#platform/log.ts'
import { mailHtml, mailText } from '#platform/mail-parts.ts'
import { redactText } from '#platform/redact.ts'

export type Letter = {
  to: string
  subject: string
  text: string
  kind: 'verification' | 'message'
  /** What a `verification` is about; it is also part of `text`. */
  code?: string
  /** Where the web client shows what it is about. */
  link?: string
}

export type Mail = {
  /** Resolves when the server has taken the letter; throws `MailError` otherwise. */
  send(letter: Letter): Promise<void>
  /** `smtp` when the server lets us in, `log` when none is configured; throws `MailError` otherwise. */
  verifyTransport(): Promise<'smtp' | 'log'>
  close(): Promise<void>
}

/** A letter the server did not take. It never carries the address or the text. */
export class MailError extends Error {
  readonly code: string | undefined
  readonly responseCode: number | undefined
  /** True when sending the same again cannot succeed. */
  readonly permanent: boolean

  constructor(cause: unknown) {
    const { code, responseCode } = (cause instanceof Error ? cause : {}) as Record<string, unknown>
    const status = typeof responseCode === 'number' ? responseCode : undefined
    super(`the mail server did not take it: ${status ?? code ?? describe(cause)}`)
    this.name = 'MailError'
    this.code = typeof code === 'string' ? code : undefined
    this.responseCode = status
    this.permanent = status === undefined ? code === 'EENVELOPE' : status >= 500 && code !== 'EAUTH'
  }
}

function describe(cause: unknown): string {
  return redactText(messageOf(cause))
}

/** Mail through SMTP, or to the log when no server is configured, so that a first run needs none. */
export function createMail({
  smtpUrl,
  from,
  log,
}: {
  smtpUrl?: string | undefined
  from?: string | undefined
  log: Log
}): Mail {
  if (smtpUrl === undefined) return createLogMail(log)
  return createSmtpMail(smtpUrl, from ?? defaultSender(smtpUrl))
}

function createLogMail(log: Log): Mail {
  return {
    async send({ to, subject, text, kind, code }) {
      if (kind === 'verification') {
        log.warn(
          { to, subject, code },
          `no mail server is configured: verification code ${code ?? text} for ${to}`,
        )
      } else {
        log.warn({ to, subject, text }, 'no mail server is configured: mail not sent')
      }
    },
    verifyTransport: async () => 'log',
    close: async () => {},
  }
}

function createSmtpMail(smtpUrl: string, from: string): Mail {
  let opening: Promise<Transporter> | undefined

  function transport(): Promise<Transporter> {
    opening ??= openTransport(smtpUrl, from)
    return opening
  }

  async function attempt<T>(work: (transporter: Transporter) => Promise<T>): Promise<T> {
    try {
      return await work(await transport())
    } catch (error) {
      throw new MailError(error)
    }
  }

  return {
    async send(letter) {
      const { to, subject } = letter
      // as an object, so that a comma in the address cannot make two recipients of it
      const address = { name: '', address: to }
      const parts = { subject, text: mailText(letter), html: mailHtml(letter) }
      await attempt((transporter) => transporter.sendMail({ to: address, ...parts }))
    },
    async verifyTransport() {
      await attempt((transporter) => transporter.verify())
      return 'smtp'
    },
    async close() {
      if (opening) (await opening).close()
    },
  }
}

async function openTransport(url: string, from: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport(
    {
      url,
      pool: true,
      maxConnections: 3,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  )
}

/** The account at the mail server when it is an address, else an address at that server. */
function defaultSender(smtpUrl: string): string {
  const { username, hostname } = new URL(smtpUrl)
  const account = decodeURIComponent(username)
  if (account.includes('@')) return account
  return `kith@${isIP(hostname) || hostname.startsWith('[') ? 'localhost' : hostname}`
}
