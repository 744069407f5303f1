import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { mailSender } from '#modules/mail/index.ts'
import { type MailMessage, mailHtml } from '#modules/mail/mail.ts'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole } from '#test/console-browser.ts'
import { buildSite } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
if (!skip) await buildSite()
const world = skip ? undefined : await openConsole({ WEB: 'on' })

const picture = async (page: Page, name: string) => {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png`, fullPage: true })
}

/** A square with a ring, so that cuts and margins are visible. */
const drawing = (width: number, height: number) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" rx="40" fill="#8e24aa"/><circle cx="50%" cy="50%" r="${height / 3}" fill="none" stroke="#fff" stroke-width="${height / 12}"/></svg>`,
    ),
  )
    .png()
    .toBuffer()

test('renames and recolours the site in the console, and shows the new look everywhere', {
  skip,
}, async () => {
  const { address, as, ctx, founder, open, faults, guest, work } = world!
  const mails: MailMessage[] = []
  Object.assign(mailSender(ctx), { send: async (mail: MailMessage) => void mails.push(mail) })
  const page = await open('/appearance')
  const field = (setting: string) => page.locator(`[data-setting="${setting}"]`)
  await field('site:name').fill('Riverside')
  await field('site:name-zh').fill('河畔')
  await field('site:welcome').fill('Neighbours of the river, welcome.')
  await field('site:accent').fill('#ffc107')
  for (const [setting, width, height] of [
    ['site:logo', 480, 240],
    ['site:icon', 600, 600],
    ['site:picture', 1200, 630],
  ] as const) {
    const part = page.locator(`[data-picture="${setting}"]`)
    await part
      .locator('input[type=file]')
      .setInputFiles({ name: 'mark.png', mimeType: 'image/png', buffer: await drawing(width, height) })
    await part.locator('img').waitFor()
  }
  await page.getByText('Corrected for readable text:').waitFor()
  await page.locator('[data-preview="Phone"]').getByText('Riverside').first().waitFor()
  // Nothing is public before the administrator saves it.
  assert.equal((await guest('GET', '/bootstrappers')).body.identity.name, 'Kith')
  assert.deepEqual(await findings(page), [])
  await picture(page, 'appearance-before-saving')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved. Visitors see the new look now.').waitFor()
  await page.reload()
  assert.equal(await field('site:name').inputValue(), 'Riverside')
  assert.equal(await page.locator('[data-picture="site:icon"] img').count(), 1)
  await showsIcon(page)
  await page.evaluate(`localStorage.setItem('RaStorekith.console.theme', '"dark"')`)
  await page.reload()
  await field('site:name').waitFor()
  await picture(page, 'appearance-console-dark')

  for (const theme of ['light', 'dark'] as const) {
    const site = await page.context().newPage()
    await site.emulateMedia({ colorScheme: theme })
    await site.goto(`${address}/?lang=en`)
    await site.locator('html[data-ready]').waitFor()
    assert.equal(await site.title(), 'Riverside')
    const logo = site.locator('.brand img')
    assert.ok(await logo.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0))
    const { accent } = (await guest('GET', '/bootstrappers')).body.identity
    const background = await site.locator('.top-actions .button:not(.is-quiet)').evaluate((button) => {
      const page = globalThis as unknown as { getComputedStyle(of: unknown): { backgroundColor: string } }
      return page.getComputedStyle(button).backgroundColor
    })
    assert.equal(background, rgbOf(accent[theme]))
    assert.deepEqual(await findings(site), [])
    await picture(site, `appearance-site-${theme}`)
    await site.goto(`${address}/topics?lang=zh`)
    assert.match(await site.title(), /· 河畔$/)
    await site.close()
  }
  await guest('POST', '/verifycodes/register', { email: 'new@mail.example' })
  await work()
  const [mail] = mails
  assert.equal(mail?.subject, 'Verification code · Riverside')
  const letter = await page.context().newPage()
  await letter.setContent(mailHtml(mail as MailMessage))
  await picture(letter, 'appearance-mail')
  await letter.close()
  const login = await open('/login', { person: null })
  await login.getByRole('heading', { name: 'Riverside console' }).waitFor()
  assert.equal(await login.title(), 'Riverside')
  await showsIcon(login)
  assert.equal((await as(founder, 'GET', '/admin/settings')).body['site:accent'], '#ffc107')
  assert.deepEqual(faults, [])
})

/** The head of the console and its tab show the icon of the site. */
async function showsIcon(page: Page): Promise<void> {
  const icon = page.locator('img[data-site-icon]')
  assert.match((await icon.getAttribute('src')) ?? '', /^\/site-pictures\/icon-512\.png\?v=/)
  // Rejects when the picture is broken.
  await icon.evaluate((image: { decode(): Promise<void> }) => image.decode())
  assert.match(
    (await page.locator('link[rel=icon]').getAttribute('href')) ?? '',
    /^\/site-pictures\/icon-512\.png\?v=/,
  )
}

const rgbOf = (hex: string) =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`

test('explains why a picture is refused, and keeps the other changes', { skip }, async () => {
  const { open } = world!
  const page = await open('/appearance', { locale: 'zh' })
  await page.locator('[data-setting="site:contact"]').fill('host@site.test')
  const part = page.locator('[data-picture="site:icon"]')
  await part
    .locator('input[type=file]')
    .setInputFiles({ name: 'small.png', mimeType: 'image/png', buffer: await drawing(40, 40) })
  // The former picture is shown until the upload ends.
  await part.locator('img[src^="blob:"]').waitFor()
  await page.getByRole('button', { name: '保存', exact: true }).click()
  await page.getByText('图片太小，至少需要 192 × 192 像素。').waitFor()
  assert.equal(await page.locator('[data-setting="site:contact"]').inputValue(), 'host@site.test')
  await picture(page, 'appearance-refused-zh')
})
