import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chromium } from 'playwright-core'
import { hashPassword } from '#modules/accounts/index.ts'
import { mailSender } from '#modules/mail/index.ts'
import { type MailMessage, mailHtml } from '#modules/mail/mail.ts'
import { BROWSER } from '#test/chromium.ts'
import { createWorld, type Person } from '#test/world.ts'

// Takes the pictures of the start page and the mails in docs/images. Needs a Chinese font.
const IMAGES = join(import.meta.dirname, '../docs/images')
const MOST_BYTES = 60_000
const PASSWORD = 'correct horse'

const world = await createWorld({
  PUBLIC_URL: 'https://social.example',
  PUBLIC_WEB_URL: 'https://app.example',
})
const { as, guest, sql, ctx, app, work } = world
const letters: MailMessage[] = []
mailSender(ctx).send = async (letter) => void letters.push(letter)

async function mailOf(act: () => Promise<{ status: number; body: unknown }>): Promise<MailMessage> {
  const before = letters.length
  const { status, body } = await act()
  assert.ok(status < 300, JSON.stringify(body))
  await work()
  const [letter] = letters.slice(before)
  assert.ok(letter, 'no mail was sent')
  return letter
}

async function owner(name: string): Promise<Person> {
  const made = await world.person({ name })
  const email = `${name}@example.com`
  await sql`
    update users set password = ${await hashPassword(PASSWORD)}, email = ${email}, email_key = ${email},
      email_verified_at = now() where id = ${made.id}`
  return made
}

test('takes screenshots of the start page and the mails', async () => {
  if (!BROWSER) throw new Error('a chromium is needed')
  const made = await owner('ann')
  // Deletes the sessions of the fixture. Their unknown device would suppress the mail about a new device.
  await sql`delete from tokens where user_id = ${made.id}`
  await sql`delete from token_families where user_id = ${made.id}`
  const founder = await world.person({ roles: ['founder'] })
  const signIn = (agent: string) => () =>
    guest('POST', '/auth/login', { login: 'ann', password: PASSWORD }, { 'user-agent': agent })
  const first = await signIn('Kith for Android')()
  assert.equal(first.status, 200)
  const ann = { ...made, token: first.body.access_token as string }
  const code = (tongue: string) => () =>
    guest(
      'POST',
      '/verifycodes/register',
      { email: `new-${tongue}@example.com` },
      { 'accept-language': tongue },
    )
  const pages: Record<string, string> = {
    'landing.png': (await app.inject({ url: '/', headers: { 'accept-language': 'en' } })).body,
    'landing-zh.png': (await app.inject({ url: '/', headers: { 'accept-language': 'zh' } })).body,
  }
  const mails: Record<string, () => Promise<{ status: number; body: unknown }>> = {
    'mail-code-en': code('en'),
    'mail-code-zh': code('zh'),
    'mail-sign-in': signIn('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'),
    'mail-password': () =>
      as(ann, 'PUT', '/user/password', {
        old_password: PASSWORD,
        password: 'battery staple',
        password_confirmation: 'battery staple',
      }),
    'mail-export': async () => {
      const { access_token: token } = (
        await guest('POST', '/auth/login', { login: 'ann', password: 'battery staple' })
      ).body
      await work()
      letters.length = 0
      return as({ ...ann, token }, 'POST', '/user/exports', { password: 'battery staple' })
    },
    'mail-suspension': () =>
      as(founder, 'POST', `/admin/users/${ann.id}/sanctions`, {
        kind: 'suspension',
        reason: 'Advertising in every comment. 在评论中发布广告。',
        hours: 72,
      }),
    'mail-deletion': () => guest('POST', '/auth/deletions', { login: 'ann', password: 'battery staple' }),
  }
  for (const [name, act] of Object.entries(mails)) {
    letters.length = 0
    pages[`${name}.png`] = mailHtml(await mailOf(act))
  }
  pages['landing-dark.png'] = pages['landing.png'] as string
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
  try {
    for (const [name, html] of Object.entries(pages)) {
      const size = name.startsWith('mail') ? { width: 600, height: 200 } : { width: 800, height: 500 }
      const colorScheme = name.includes('dark') ? 'dark' : 'light'
      const page = await browser.newPage({ viewport: size, colorScheme })
      await page.setContent(html)
      const path = join(IMAGES, name)
      await page.screenshot({ path, fullPage: name.startsWith('mail') })
      await page.close()
      assert.ok(statSync(path).size < MOST_BYTES, `${name} has ${statSync(path).size} bytes`)
    }
  } finally {
    await browser.close()
  }
})
