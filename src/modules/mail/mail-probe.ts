import { setTimeout as pause } from 'node:timers/promises'
import type { Probe } from '#contracts/health-check.ts'
import { addressOf, HealthFault, targetOf } from '#platform/health'
import { defaultSender } from './mail.ts'
import { bareAddress, type FailedMail, findMailFault, type MailServer, replyOf } from './mail-fault.ts'

const PATIENCE_MS = 8_000

/** The fault that the check of a mail server found. */
export function mailFault(error: unknown, server: MailServer): HealthFault {
  const { url } = server
  return (
    findMailFault(error, server) ??
    new HealthFault(
      'mail_answer',
      { address: addressOf(targetOf('SMTP_URL', url)), reason: replyOf((error ?? {}) as FailedMail) },
      error,
    )
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
  let refusal: FailedMail | undefined
  const connection = new SmtpConnection({
    ...options,
    connectionTimeout: patienceMs,
    // Ends before the silence of the socket, because only a missing greeting tells that the server expects TLS.
    greetingTimeout: (patienceMs * 3) / 4,
    socketTimeout: patienceMs,
    customAuth: {
      // The only interface of nodemailer that sends a command of the caller.
      async SENDER({ sendCommand, resolve }) {
        const { status, response } = await sendCommand(`MAIL FROM:<${sender}>`)
        if (status >= 400) refusal = { command: 'MAIL FROM', responseCode: status, response }
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
    throw mailFault(error, { url: smtpUrl, sender })
  } finally {
    ended.catch(() => {})
    connection.quit()
    await Promise.race([
      new Promise((resolve) => connection.once('end', resolve)),
      pause(200, undefined, { ref: false }),
    ])
    connection.close()
  }
  if (refusal) throw mailFault(refusal, { url: smtpUrl, sender })
}

export const mailProbe: Probe = {
  part: 'mail',
  settings: 'SMTP_URL',
  worksAlone: true,
  isUsed: ({ config }) => config.smtpUrl !== undefined,
  check: ({ config: { smtpUrl = '', mailFrom, publicUrl } }) => checkMail(smtpUrl, mailFrom, publicUrl),
}
