import { setTimeout as pause } from 'node:timers/promises'
import type { Probe } from '#contracts/health-check.ts'
import { addressOf, HealthFault, networkFault, targetOf } from '#platform/health'
import { defaultSender } from './mail.ts'

const PATIENCE_MS = 8_000

type Failed = { code?: string; responseCode?: number; response?: string; message?: string }

/** Reply of a mail server in a line, without the addresses that some servers repeat. */
const replyOf = ({ responseCode, response = '', message = '' }: Failed) =>
  (response || String(responseCode ?? message))
    .replace(/\s+/g, ' ')
    .replace(/<[^<>]*>/g, '<…>')
    .slice(0, 120)

const bareAddress = (sender: string) => /<([^<>]+)>/.exec(sender)?.[1] ?? sender.trim()

export function mailFault(error: unknown, url: string): HealthFault {
  const target = targetOf('SMTP_URL', url)
  const address = addressOf(target)
  const failed = (error ?? {}) as Failed
  // A server that expects TLS waits for the client, and sends no greeting.
  if (url.startsWith('smtp:') && /greeting never received/i.test(failed.message ?? ''))
    return new HealthFault('mail_needs_tls', { address }, error)
  if (failed.code === 'EAUTH') return new HealthFault('mail_password', { address }, error)
  return (
    networkFault(error, target) ?? new HealthFault('mail_answer', { address, reason: replyOf(failed) }, error)
  )
}

/**
 * Connects, logs in and offers the sender, as before a mail, without sending one. Throws a `HealthFault`.
 */
export async function checkMail(
  smtpUrl: string,
  mailFrom: string | undefined,
  publicUrl: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const [{ default: SmtpConnection }, { parseConnectionUrl }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ])
  const { auth, ...options } = parseConnectionUrl(smtpUrl)
  const sender = bareAddress(mailFrom ?? defaultSender(smtpUrl, publicUrl))
  let refusal: Failed | undefined
  const connection = new SmtpConnection({
    ...options,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
    customAuth: {
      // The only interface of nodemailer that sends a command of the caller.
      async SENDER({ sendCommand, resolve }) {
        const { status, response } = await sendCommand(`MAIL FROM:<${sender}>`)
        if (status >= 400) refusal = { responseCode: status, response }
        else await sendCommand('RSET')
        resolve()
      },
    },
  })
  const ended = new Promise<never>((_, reject) => connection.once('error', reject))
  const step = (work: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      ended,
      new Promise<void>((resolve, reject) => work((error) => (error ? reject(error) : resolve()))),
    ])
  try {
    await step((done) => connection.connect(done))
    if (auth?.user) await step((done) => connection.login(auth, done))
    await step((done) =>
      connection.login({ type: 'custom', method: 'SENDER', user: sender, pass: '-' }, done),
    )
  } catch (error) {
    throw mailFault(error, smtpUrl)
  } finally {
    ended.catch(() => {})
    connection.quit()
    await Promise.race([
      new Promise((resolve) => connection.once('end', resolve)),
      pause(200, undefined, { ref: false }),
    ])
    connection.close()
  }
  if (refusal)
    throw new HealthFault('mail_sender', {
      address: addressOf(targetOf('SMTP_URL', smtpUrl)),
      sender,
      reason: replyOf(refusal),
    })
}

export const mailProbe: Probe = {
  part: 'mail',
  settings: 'SMTP_URL',
  worksAlone: true,
  isUsed: ({ config }) => config.smtpUrl !== undefined,
  check: ({ config: { smtpUrl = '', mailFrom, publicUrl } }) => checkMail(smtpUrl, mailFrom, publicUrl),
}
