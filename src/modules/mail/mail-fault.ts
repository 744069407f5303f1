import { addressOf, HealthFault, networkFault, targetOf } from '#platform/health'

/** The server of SMTP_URL, and the sender that MAIL_FROM names. */
export type MailServer = { url: string; sender: string }

/** The parts of an error of nodemailer that tell its cause. */
export type FailedMail = {
  code?: string
  command?: string
  responseCode?: number
  response?: string
  message?: string
}

/** Reply of a mail server in a line, without the addresses that some servers repeat. */
export const replyOf = ({ responseCode, response = '', message = '' }: FailedMail) =>
  (response || String(responseCode ?? message))
    .replace(/\s+/g, ' ')
    .replace(/<[^<>]*>/g, '<…>')
    .slice(0, 120)

export const bareAddress = (sender: string) => /<([^<>]+)>/.exec(sender)?.[1] ?? sender.trim()

/** Names the fault of SMTP_URL or MAIL_FROM. Undefined for a reply to a recipient or to a text. */
export function findMailFault(error: unknown, { url, sender }: MailServer): HealthFault | undefined {
  const target = targetOf('SMTP_URL', url)
  const address = addressOf(target)
  const failed = (error ?? {}) as FailedMail
  // A server that expects TLS waits for the client, and sends no greeting.
  if (url.startsWith('smtp:') && /greeting never received/i.test(failed.message ?? ''))
    return new HealthFault('mail_needs_tls', { address }, error)
  if (failed.code === 'EAUTH') return new HealthFault('mail_password', { address }, error)
  if (failed.command === 'MAIL FROM' && failed.responseCode !== undefined)
    return new HealthFault(
      'mail_sender',
      { address, sender: bareAddress(sender), reason: replyOf(failed) },
      error,
    )
  return failed.responseCode === undefined ? networkFault(error, target) : undefined
}
