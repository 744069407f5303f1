import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { CANNOT_LOOK } from '#test/chromium.ts'
import { findings, openConsole, settled } from '#test/console-browser.ts'
import { buildSite, cookieOf } from '#test/web-browser.ts'

const skip = CANNOT_LOOK
const folder = await mkdtemp(join(tmpdir(), 'kith-operator-pages-'))
after(() => rm(folder, { recursive: true, force: true }))
if (!skip) await buildSite()
const world = skip
  ? undefined
  : await openConsole({
      WEB: 'on',
      BACKUP_TO: folder,
      SMTP_URL: 'smtp://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
      SITE_NAME: 'Neighbourhood of the Eastern Riverside',
    })

/** Fills the pages with long and faulty contents, because short ones fit everywhere. */
async function fill(): Promise<void> {
  const { as, sql, founder } = world!
  for (const name of ['kith-20260301T033000Z.backup', 'kith-20260302T033000Z.backup'])
    await writeFile(join(folder, name), 'no backup')
  for (const [part, code, details] of [
    [
      'mail',
      'mail_sender',
      {
        address: 'mail.example.org:587',
        sender: 'noreply@social.example.org',
        reason: '553 5.7.1 not yours',
      },
    ],
    ['redis', 'port_closed', { address: '127.0.0.1:1', setting: 'REDIS_URL' }],
    [
      'browsers',
      'address_other',
      { origin: 'https://www.social.example.org', expected: 'https://social.example.org' },
    ],
  ] as const)
    await sql`
      insert into health_checks (part, checked_at, fault, code, details, failing_since)
      values (${part}, now(), ${code}, ${code}, ${JSON.stringify(details)}::text::jsonb, now())`
  const pages = await as(founder, 'GET', '/admin/pages?sort=id&order=asc')
  for (const { id } of pages.body.data.slice(0, 3)) {
    assert.equal((await as(founder, 'PUT', `/admin/pages/${id}/template`)).status, 204)
    const saved = await as(founder, 'PATCH', `/admin/pages/${id}`, {
      is_published: true,
      at_sign_up: id === pages.body.data[1].id,
    })
    assert.equal(saved.status, 204, JSON.stringify(saved.body))
  }
}
if (world) await fill()

const CONSOLE_PAGES = [
  ...['/', '/setup', '/setup?step=join', '/setup?step=mail', '/setup?step=backup', '/setup?step=invite'],
  ...['/appearance', '/backups', '/pages', '/pages/2', '/mails', '/audit-log'],
]
const SITE_PAGES = ['/', '/pages/terms', '/join', '/notifications/preferences']

async function holds(page: Page, name: string, width: number): Promise<void> {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png`, fullPage: true })
  assert.deepEqual(await findings(page), [], name)
  const shown = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(shown <= width + 1, `${name} is ${shown} pixels wide`)
}

/** The faults of `fill` stand above the charts, and the button leads to their remedies. */
async function showsFaults(page: Page, locale: 'en' | 'zh'): Promise<void> {
  const [failing, warning, show, heading] = {
    en: ['failing: Mail, Redis', 'needs attention: Address in browsers', 'Show', 'Health'],
    zh: ['异常：邮件、Redis', '需要关注：浏览器中的地址', '查看', '运行状态'],
  }[locale] as [string, string, string, string]
  const notice = page.getByRole('alert').filter({ hasText: failing })
  await notice.getByText(warning).waitFor()
  await notice.getByRole('button', { name: show }).click()
  assert.equal(await page.locator('h2:focus').innerText(), heading)
  const first = page.locator('h2:focus').locator('xpath=../following-sibling::ul/li').first()
  assert.match(await first.innerText(), new RegExp(failing.split(/[：,、]|: /)[1] ?? ''))
}

for (const [locale, colorScheme, width] of [
  ['en', 'light', 390],
  ['zh', 'dark', 390],
  ['en', 'dark', 1280],
  ['zh', 'light', 1280],
] as const)
  test(`fits the pages of an operator into ${width} pixels in ${locale}, ${colorScheme}`, {
    skip,
  }, async () => {
    const { open, address, faults, founder } = world!
    const isPhone = width < 600
    const look = {
      colorScheme,
      viewport: { width, height: 844 },
      isMobile: isPhone,
      hasTouch: isPhone,
    }
    const nameOf = (path: string) =>
      `operator-${path.replaceAll(/\W+/g, '-')}-${locale}-${colorScheme}-${width}`
    const page = await open('/', { locale, ...look })
    for (const path of CONSOLE_PAGES) {
      await page.goto(`${address}/admin${path}`)
      await settled(page)
      if (path === '/pages/2') await page.locator('section[tabindex="0"] h2').first().waitFor()
      await holds(page, nameOf(path), width)
      if (path === '/') await showsFaults(page, locale)
    }
    await page.goto(`${address}/admin/mails`)
    await page.locator('[data-mail] button').first().click()
    await page.locator('[data-mail] textarea').first().waitFor()
    await settled(page)
    await holds(page, nameOf('/mails/first'), width)

    for (const path of SITE_PAGES) {
      const context = await page
        .context()
        .browser()!
        .newContext({ ...look, locale })
      const [name = '', value = ''] = cookieOf(founder).split('=')
      if (path.startsWith('/notifications'))
        await context.addCookies([{ name, value, url: address, httpOnly: true, sameSite: 'Lax' }])
      const shown = await context.newPage()
      await shown.goto(address + path)
      await shown.locator('html[data-ready]').waitFor()
      await holds(shown, nameOf(`/site${path}`), width)
      await context.close()
    }
    assert.deepEqual(faults, [])
    await page.context().close()
  })
