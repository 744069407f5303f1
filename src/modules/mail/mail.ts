import { isIP } from 'node:net'
import type { Transporter } from 'nodemailer'
import { messageOf } from '#lib/faults.ts'
import { escapeMarkup } from '#lib/markup/html.ts'
import { type Context, defineState } from '#platform/context.ts'
import { explainFault, HealthFault } from '#platform/health'
import { type Log, redactText } from '#platform/observability'
import { findMailFault, type MailServer } from './mail-fault.ts'

type MailSettings = { smtpUrl?: string | undefined; mailFrom?: string | undefined; publicUrl?: string }

/** The site as a mail shows it. */
export type MailSite = { name: string; url: string; isPoweredBy: boolean; accent?: string }

const ACCENT = '#0b6b60'

type Parts = { subject: string; text: string; code?: string; link?: string; site?: MailSite }

const mailText = ({ text, link, site }: Parts): string =>
  [text, ...(link === undefined ? [] : [link]), ...(site ? [`-- \n${site.name}\n${site.url}`] : [])].join(
    '\n\n',
  )

function footOf({ name, url, isPoweredBy }: MailSite): string {
  const address = `<a href="${escapeMarkup(url)}" style="color:inherit">${escapeMarkup(url.replace(/^https?:\/\//, ''))}</a>`
  const software = isPoweredBy ? '<br>Powered by Kith' : ''
  return `<p style="max-width:520px;margin:16px auto 0;font-size:13px;color:#5b6764;text-align:center">${escapeMarkup(name)} · ${address}${software}</p>`
}

/** Splits between paragraphs, and between a Chinese sentence and its English translation. */
const paragraphsOf = (text: string) => text.split(/\n{2,}|(?<=[。！？]) (?=[A-Z])/)

const languageOf = (text: string) => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en')

/** Uses inline styles and no external resources, because mail programs remove style sheets and block resources. */
export function mailHtml({ subject, text, code, link, site }: Parts): string {
  const heading = escapeMarkup(subject.replace(/\s+/g, ' '))
  const shown = paragraphsOf(text).map((part) => {
    const said = escapeMarkup(part).replaceAll('\n', '<br>')
    return code === undefined
      ? said
      : said.replace(escapeMarkup(code), `<strong>${escapeMarkup(code)}</strong>`)
  })
  const big =
    code === undefined
      ? ''
      : `<p style="margin:24px 0 0;font-size:32px;letter-spacing:6px;font-weight:600">${escapeMarkup(code)}</p>`
  const lead =
    link === undefined
      ? ''
      : `<p style="margin:24px 0 0"><a href="${escapeMarkup(link)}" style="color:${site?.accent ?? ACCENT}">${escapeMarkup(link)}</a></p>`
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${heading}</title></head>
<body style="margin:0;padding:24px;background:#f4f6f6;color:#1d2424;font:16px/1.6 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto;padding:28px 32px;background:#ffffff;border-radius:12px">
<h1 dir="auto" style="margin:0 0 16px;font-size:20px;line-height:1.4">${heading}</h1>
${shown.map((part) => `<p dir="auto" lang="${languageOf(part)}" style="margin:0 0 12px">${part}</p>`).join('\n')}
${big}${lead}
</div>
${site ? footOf(site) : ''}
</body>
</html>
`
}

export type MailMessage = {
  to: string
  subject: string
  text: string
  kind: 'verification' | 'message'
  code?: string
  link?: string
  /** Address that ends mails of this kind with a POST. */
  unsubscribe?: string
  /** Names the sender, unless `MAIL_FROM` does. */
  site?: MailSite
}

export type Mail = {
  /** Resolves when the server has accepted the mail. Throws `MailError` otherwise. */
  send(letter: MailMessage): Promise<void>
  close(): Promise<void>
}

/** Keeps responders, such as absence notices, from replying (RFC 3834). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** Shows a button of the mail program that unsubscribes with one request (RFC 8058). */
const unsubscribeHeaders = (address: string | undefined) =>
  address === undefined
    ? {}
    : { 'List-Unsubscribe': `<${address}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }

/** An error of a mail server. Its message is logged, so it omits the recipient and the text of the mail. */
export class MailError extends Error {
  readonly code: string | undefined
  readonly responseCode: number | undefined
  /** True when a retry cannot succeed. */
  readonly permanent: boolean
  /** The fault of the configuration. Undefined for a reply that concerns one recipient or text. */
  readonly fault: HealthFault | undefined

  constructor(cause: unknown, server: MailServer) {
    const { code, responseCode } = (cause instanceof Error ? cause : {}) as Record<string, unknown>
    const status = typeof responseCode === 'number' ? responseCode : undefined
    const fault = findMailFault(cause, server)
    super(
      `the mail server rejected the message: ${status ?? code ?? redactText(messageOf(cause))}${fault ? `. ${explainFault(fault).en}` : ''}`,
    )
    // Leaves out the cause, because it names the recipient.
    this.fault = fault && new HealthFault(fault.code, fault.details)
    this.name = 'MailError'
    this.code = typeof code === 'string' ? code : undefined
    this.responseCode = status
    this.permanent = status === undefined ? code === 'EENVELOPE' : status >= 500 && code !== 'EAUTH'
  }
}

export function createMail({ smtpUrl, mailFrom, publicUrl = '' }: MailSettings, log: Log): Mail {
  if (smtpUrl === undefined) return createLogMail(log)
  return createSmtpMail(smtpUrl, mailFrom ?? defaultSender(smtpUrl, publicUrl))
}

function createLogMail(log: Log): Mail {
  return {
    // Logs verification codes, because an operator needs them to set up the site. Logs no other text.
    async send({ to, subject, text, kind, code }) {
      if (kind === 'verification') {
        log.warn(
          { to, subject, code },
          `no mail server is configured: verification code ${code ?? text} for ${to}`,
        )
      } else {
        log.warn({ kind }, 'no mail server is configured: mail not sent')
      }
    },
    close: async () => {},
  }
}

function createSmtpMail(smtpUrl: string, from: string): Mail {
  let opening: Promise<Transporter> | undefined

  async function attempt<T>(work: (transporter: Transporter) => Promise<T>): Promise<T> {
    opening ??= openTransport(smtpUrl)
    try {
      return await work(await opening)
    } catch (error) {
      throw new MailError(error, { url: smtpUrl, sender: from })
    }
  }

  return {
    async send(letter) {
      const { to, subject, unsubscribe } = letter
      // Passes the recipient as an object, so that a comma in the address cannot add a recipient.
      const address = { name: '', address: to }
      const parts = { subject, text: mailText(letter), html: mailHtml(letter) }
      const sender = senderOf(from, letter.site?.name)
      await attempt((transporter) =>
        transporter.sendMail({
          from: sender,
          to: address,
          headers: { ...AUTOMATIC, ...unsubscribeHeaders(unsubscribe) },
          ...parts,
        }),
      )
    },
    async close() {
      if (opening !== undefined) (await opening).close()
    },
  }
}

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: 3,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Adds the name of the site to an address without a name. */
function senderOf(from: string, name: string | undefined): string | { name: string; address: string } {
  const [, bare] = /^\s*<?([^\s<>]+@[^\s<>]+)>?\s*$/.exec(from) ?? []
  return bare === undefined || name === undefined ? from : { name, address: bare }
}

/**
 * Prefers the account of `smtpUrl` as the sender, because mail servers reject other senders. If the account
 * is no email address, uses `noreply` at the host name of the site, or else of the mail server, or else `localhost`.
 */
export function defaultSender(smtpUrl: string, publicUrl: string): string {
  const account = decodeURIComponent(new URL(smtpUrl).username)
  if (account.includes('@')) return account
  const hosts = [publicUrl, smtpUrl].flatMap((url) => URL.parse(url)?.hostname ?? [])
  const isName = (host: string) => host !== 'localhost' && !isIP(host) && !host.startsWith('[')
  return `noreply@${hosts.find(isName) ?? 'localhost'}`
}

/** Without a mail server, the server logs mails instead of sending them. */
export const mailSender = defineState((ctx: Context) => {
  const mail = createMail(ctx.config, ctx.log)
  ctx.onClose.push(mail.close)
  return mail
})
