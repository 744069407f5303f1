import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { mailSender } from '#modules/mail/index.ts'
import type { MailMessage } from '#modules/mail/mail.ts'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole } from '#test/console-browser.ts'
import { updateSettings } from '#test/settings.ts'
import { buildSite } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const folder = await mkdtemp(join(tmpdir(), 'kith-setup-'))
after(() => rm(folder, { recursive: true, force: true }))
if (!skip) await buildSite()
const world = skip
  ? undefined
  : await openConsole({ WEB: 'on', SMTP_URL: 'smtp://127.0.0.1:1', BACKUP_TO: folder })

const picture = async (page: Page, name: string) => {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png`, fullPage: true })
}

test('leads from an empty site to a first invited member', { skip }, async () => {
  const { address, ctx, sql, open, guest, work, faults } = world!
  const mails: MailMessage[] = []
  Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })
  await updateSettings(ctx, sql, { 'site:setup': [] })
  const page = await open('/')
  await page.waitForURL(/\/setup/)
  await page.locator('[data-step=look]').waitFor()
  await picture(page, 'setup-look')
  await page.getByRole('textbox', { name: 'Name of the site' }).fill('Riverside')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.getByRole('banner').getByText('Riverside').waitFor()

  // A second name, saved at once, replaces the first one everywhere in the console.
  await page.locator('[data-step=join]').waitFor()
  await page.locator('main').getByText('Name and look', { exact: true }).click()
  await page.locator('[data-step=look]').waitFor()
  await page.getByRole('textbox', { name: 'Name of the site' }).fill('Lakeside')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.getByRole('banner').getByText('Lakeside').waitFor()
  await page.getByRole('heading', { name: 'Welcome to Lakeside' }).waitFor()
  assert.match(await page.title(), /Lakeside$/)

  await page.locator('[data-step=join]').waitFor()
  await page.getByRole('radio', { name: 'with an invitation' }).check()
  assert.deepEqual(await findings(page), [])
  await picture(page, 'setup-join')
  await page.getByRole('button', { name: 'Save and continue' }).click()

  await page.locator('[data-step=mail]').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Continue', exact: true }).isDisabled(), true)
  await page.getByRole('textbox', { name: 'Send a test to' }).fill('host@mail.example')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The mail server accepted the test for host@mail.example.').waitFor()
  assert.equal(mails.at(-1)?.to, 'host@mail.example')
  await picture(page, 'setup-mail')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()

  // Skips a step, which stays on the list of the home page.
  await page.locator('[data-step=backup]').waitFor()
  await page.getByRole('button', { name: 'Skip this step' }).click()

  await page.route('**/api/v2/admin/health', (route) =>
    route.fulfill({ json: { parts: ['mail', 'sms'].map((name) => ({ name, state: 'off', figures: [] })) } }),
  )
  await page.locator('[data-step=invite]').waitFor()
  await page.getByText('A link created here works on this machine only.').waitFor()
  await page.getByText('The server writes codes into its log').waitFor()
  await page.getByRole('button', { name: 'Create a link' }).click()
  const link = await page.locator('[data-invitation] code').innerText()
  assert.match(link, /\/join\?invitation=\w+/)
  await picture(page, 'setup-invite')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()

  await page.locator('[data-setup]').waitFor()
  assert.deepEqual(await page.locator('[data-setup] a').allInnerTexts(), ['Backups'])
  await picture(page, 'setup-home')
  await page.locator('[data-setup]').getByRole('link', { name: 'Backups' }).click()
  await page.getByRole('button', { name: 'Test the backup place' }).click()
  await page.getByText('The place of backups can be written.').waitFor()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.goto(`${address}/admin/`)
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('[data-setup]').count(), 0)

  const newcomer = await (await page.context().browser()!.newContext()).newPage()
  await newcomer.goto(link)
  await newcomer.locator('html[data-ready]').waitFor()
  assert.equal(await newcomer.title(), 'Sign up · Lakeside')
  await newcomer.getByRole('textbox', { name: 'E-mail' }).fill('first@mail.example')
  await newcomer.getByRole('button', { name: 'Send code' }).click()
  await newcomer.getByText('The code was sent.').waitFor()
  await work()
  const code = mails.findLast(({ to }) => to === 'first@mail.example')?.code as string
  await newcomer.getByRole('textbox', { name: 'Verification code' }).fill(code)
  await newcomer.getByRole('textbox', { name: 'Username' }).fill('first_member')
  await newcomer.getByLabel('Password').fill('correct horse')
  await newcomer.getByRole('button', { name: 'Create account' }).click()
  await newcomer.waitForURL(`${address}/`)
  await newcomer.locator('html[data-ready]').waitFor()
  await picture(newcomer, 'setup-first-member')
  const [member] = await sql<{ invited: boolean }[]>`
    select exists (select from invitation_uses i where i.user_id = u.id) as invited from users u where name = 'first_member'`
  assert.equal(member?.invited, true)
  assert.equal((await guest('GET', '/bootstrappers')).body.registerSettings.type, 'invited')
  assert.deepEqual(faults, [])
})
