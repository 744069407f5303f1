import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#platform/config'
import { explainFault } from '#platform/health'
import { createLog } from '#platform/observability'
import { mailServer } from '#test/fixtures/mail-server.ts'
import { createMail, defaultSender, MailError, mailHtml } from './mail.ts'
import { findMailFault } from './mail-fault.ts'

const letter = {
  to: 'jo@mail.example',
  subject: 'Your code 密码',
  text: 'Your code is 123456\n.\nline after a dot',
  kind: 'verification',
  code: '123456',
} as const

function capture() {
  const lines: string[] = []
  return {
    lines,
    log: createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } }),
  }
}

test('logs verification codes, but no other texts and recipients, when no mail server is configured', async () => {
  const { lines, log } = capture()
  const mail = createMail({}, log)
  await mail.send(letter)
  const line = JSON.parse(lines[0] ?? '')
  assert.equal(line.level, 'warn')
  assert.match(line.msg, /verification.*123456/)
  await mail.send({ ...letter, kind: 'message', text: 'Welcome' })
  assert.match(lines[1] ?? '', /mail not sent/)
  assert.doesNotMatch(lines[1] ?? '', /verification|Welcome|jo@mail/)
  await mail.close()
})

test('sends a mail through SMTP without logging it', async (t) => {
  const { url, commands, letters } = await mailServer(t)
  const { lines, log } = capture()
  const mail = createMail({ smtpUrl: url, mailFrom: 'Kith <kith@site.example>' }, log)
  await mail.send(letter)
  await mail.close()
  assert.ok(commands.includes('MAIL FROM:<kith@site.example>'))
  assert.ok(commands.includes('RCPT TO:<jo@mail.example>'))
  assert.equal(letters.length, 1)
  assert.match(letters[0] ?? '', /^From: Kith <kith@site\.example>$/m)
  assert.match(letters[0] ?? '', /^To: jo@mail\.example$/m)
  assert.match(letters[0] ?? '', /^Auto-Submitted: auto-generated$/m)
  assert.match(letters[0] ?? '', /^Subject: =\?UTF-8\?/m)
  assert.match(letters[0] ?? '', /Your code is 123456/)
  assert.match(letters[0] ?? '', /line after a dot/)
  assert.deepEqual(lines, [])
})

test('names the site as the sender unless MAIL_FROM has a name', async (t) => {
  const { url, letters } = await mailServer(t)
  const site = { name: 'River, "Side"', url: 'https://site.example', isPoweredBy: false }
  for (const mailFrom of ['kith@site.example', '<kith@site.example>', 'Desk <desk@site.example>']) {
    const mail = createMail({ smtpUrl: url, mailFrom }, capture().log)
    await mail.send({ ...letter, site })
    await mail.close()
  }
  const senders = letters.map((text) => /^From: (.*)$/m.exec(text)?.[1])
  const named = '"River, \\"Side\\"" <kith@site.example>'
  assert.deepEqual(senders, [named, named, 'Desk <desk@site.example>'])
  assert.match(mailHtml({ ...letter, site }), /River, &quot;Side&quot; · <a href="https:\/\/site\.example"/)
})

test('sends an HTML part without scripts or external resources', async (t) => {
  const { url, letters } = await mailServer(t)
  const mail = createMail({ smtpUrl: url, mailFrom: 'Kith <kith@site.example>' }, capture().log)
  const link = 'https://app.example/account/exports'
  await mail.send({ ...letter, text: '数据已完成。 <b>Ready</b> & done.', kind: 'message', link })
  await mail.close()
  assert.match(letters[0] ?? '', /multipart\/alternative/)
  const html = mailHtml({ subject: 'A <script>', text: '密码是 1。 It is <b>12</b>.', code: '12', link })
  assert.match(html, /A &lt;script&gt;/)
  assert.match(html, /密码是 1。<\/p>\s*<p[^>]*>It is &lt;b&gt;<strong>12<\/strong>/)
  assert.ok(html.includes(`<a href="${link}"`))
  assert.doesNotMatch(html, /<b>|<script|src=|url\(|@import/)
  const arabic = mailHtml({ subject: 'x', text: 'مرحبا\u0007 "a"' })
  assert.match(arabic, /<p dir="auto"[^>]*>مرحبا &quot;a&quot;<\/p>/)
})

test('sends nothing to a recipient injected through an address or subject', async (t) => {
  const { url, commands, letters } = await mailServer(t)
  const mail = createMail({ smtpUrl: url, mailFrom: 'kith@site.example' }, capture().log)
  for (const to of ['jo@mail.example, eve@mail.example', 'jo@mail.example\r\nRCPT TO:<eve@mail.example>']) {
    await mail.send({ ...letter, to, subject: 'x\r\nBcc: eve@mail.example' }).catch((error) => {
      assert.ok(error instanceof MailError)
    })
  }
  await mail.close()
  assert.ok(!commands.some((command) => /^RCPT TO:<eve@/i.test(command)))
  assert.ok(!letters.some((text) => /^Bcc:/im.test(text)))
})

test('reuses connections for 20 concurrent mails', async (t) => {
  const { url, commands, letters } = await mailServer(t)
  const mail = createMail({ smtpUrl: url, mailFrom: 'kith@site.example' }, capture().log)
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => mail.send({ ...letter, to: `user${i}@mail.example` })),
  )
  await mail.close()
  assert.equal(letters.length, 20)
  assert.ok(commands.filter((command) => command.startsWith('EHLO')).length <= 3)
})

test('classifies an SMTP rejection as permanent or temporary without exposing personal data', async (t) => {
  for (const [reply, permanent] of [
    ['550 5.1.1 <jo@mail.example> unknown', true],
    ['450 4.2.0 <jo@mail.example> greylisted', false],
  ] as const) {
    const { url } = await mailServer(t, { RCPT: reply })
    const mail = createMail({ smtpUrl: url, mailFrom: 'kith@site.example' }, capture().log)
    await assert.rejects(mail.send(letter), (error) => {
      assert.ok(error instanceof MailError)
      assert.equal(error.permanent, permanent)
      assert.equal(error.responseCode, Number(reply.slice(0, 3)))
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error)} ${error.stack}`, /jo@|123456/)
      return true
    })
    await mail.close()
  }
})

test('reports wrong credentials and a missing server as temporary', async (t) => {
  const { url } = await mailServer(t, { AUTH: '535 5.7.8 no' })
  const refused = createMail({ smtpUrl: url.replace('//', '//jo%40mail.example:secret@') }, capture().log)
  await assert.rejects(refused.send(letter), { name: 'MailError', code: 'EAUTH', permanent: false })
  await refused.close()
  const missing = createMail({ smtpUrl: 'smtp://127.0.0.1:1' }, capture().log)
  await assert.rejects(missing.send(letter), { name: 'MailError', permanent: false })
  await missing.close()
})

test('says what to do about each fault of the mail server', async (t) => {
  const open = async (replies: Record<string, string> = {}) => (await mailServer(t, replies)).url
  const closed = 'smtp://127.0.0.1:1'
  const withPassword = (url: string) => url.replace('//', '//site:secret@')
  for (const [smtpUrl, code] of [
    [closed, 'port_closed'],
    [withPassword(await open({ AUTH: '535 5.7.8 no' })), 'mail_password'],
    [(await open()).replace('smtp:', 'smtps:'), 'tls_mismatch'],
    [await open({ MAIL: '553 5.7.1 not yours' }), 'mail_sender'],
  ] as const) {
    const mail = createMail({ smtpUrl, mailFrom: 'kith@site.example' }, capture().log)
    await assert.rejects(mail.send(letter), (error) => {
      assert.ok(error instanceof MailError)
      assert.equal(error.fault?.code, code)
      assert.ok(error.message.endsWith(`. ${explainFault(error.fault).en}`), error.message)
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error)} ${error.stack}`, /secret|jo@/)
      assert.equal(error.fault.cause, undefined)
      return true
    })
    await mail.close()
  }
  const refusing = createMail({ smtpUrl: await open({ RCPT: '550 5.1.1 unknown' }) }, capture().log)
  await assert.rejects(refusing.send(letter), { fault: undefined })
  await refusing.close()
})

test('names faults of the mail server that only the message of the error tells', () => {
  const codeOf = (url: string, message: string, parts = {}) =>
    findMailFault(Object.assign(new Error(message), parts), { url, sender: 'kith@site.example' })?.code
  const [plain, encrypted] = ['smtp://mail.example', 'smtps://mail.example']
  const lost = 'getaddrinfo ENOTFOUND mail.example'
  assert.equal(codeOf(plain, lost, { code: 'EDNS' }), 'host_unknown')
  assert.equal(codeOf(plain, 'Greeting never received', { code: 'ETIMEDOUT' }), 'mail_needs_tls')
  assert.equal(codeOf(encrypted, 'Greeting never received', { code: 'ETIMEDOUT' }), 'no_reply')
  assert.equal(codeOf(plain, 'Connection closed unexpectedly'), 'connection_broken')
  assert.equal(codeOf(plain, 'Error upgrading connection with STARTTLS: 454 no'), 'tls_mismatch')
  assert.equal(codeOf(plain, '550 certificate has expired', { responseCode: 550 }), undefined)
})

test('prefers MAIL_FROM to the mail account as the sender', async (t) => {
  const { url, commands } = await mailServer(t, { AUTH: '235 welcome' })
  const SMTP_URL = url.replace('//', '//site%40mail.example:x@')
  for (const settings of [{ SMTP_URL }, { SMTP_URL, MAIL_FROM: 'post@other.example' }]) {
    const mail = createMail(readConfig(settings), capture().log)
    await mail.send(letter)
    await mail.close()
  }
  assert.deepEqual(
    commands.filter((command) => command.startsWith('MAIL')),
    ['MAIL FROM:<site@mail.example>', 'MAIL FROM:<post@other.example>'],
  )
})

test('derives the default sender from the configured URLs', () => {
  const site = 'https://social.example'
  for (const [smtpUrl, publicUrl, sender] of [
    ['smtp://site%40mail.example:x@smtp.example', site, 'site@mail.example'],
    ['smtp://apikey:x@smtp.example', site, 'noreply@social.example'],
    ['smtp://smtp.example', 'http://localhost:8080', 'noreply@smtp.example'],
    ['smtp://smtp.example', 'http://192.0.2.1:8080', 'noreply@smtp.example'],
    ['smtp://smtp.example', 'http://[2001:db8::1]', 'noreply@smtp.example'],
    ['smtp://127.0.0.1', 'http://127.0.0.1:8080', 'noreply@localhost'],
    ['smtp://[::1]', 'http://localhost:8080', 'noreply@localhost'],
  ] as const)
    assert.equal(defaultSender(smtpUrl, publicUrl), sender)
})
