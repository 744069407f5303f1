import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export const TELEPHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

export async function signIn(address: string, password: string): Promise<string> {
  const answer = await fetch(`${address}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'demo_admin', password }),
  })
  if (!answer.ok) throw new Error(`demo_admin cannot sign in: ${await answer.text()}`)
  return ((await answer.json()) as { access_token: string }).access_token
}

export async function visit(
  browser: Browser,
  { address, token }: { address: string; token: string },
  path: string,
  { locale = 'en', ...options }: { locale?: string } & BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options })
  context.setDefaultTimeout(60_000)
  const later = Date.now() + 3_600_000
  await context.addInitScript(
    ([locale, kept]) => {
      const { localStorage } = globalThis as unknown as {
        localStorage: { setItem(key: string, value: string): void }
      }
      localStorage.setItem('kith.console.locale', locale as string)
      localStorage.setItem('kith.console', kept as string)
    },
    [locale, JSON.stringify({ token, expiresAt: later, refreshUntil: later })],
  )
  const page = await context.newPage()
  await page.goto(`${address}/admin${path}`)
  return page
}

export async function settle(page: Page): Promise<void> {
  await page.locator('h1, main table, main form, article').first().waitFor()
  const waiting = page.locator('.MuiSkeleton-root, [role=progressbar]:not([aria-valuenow])')
  for (let quiet = 0; quiet < 5; quiet = (await waiting.count()) === 0 ? quiet + 1 : 0)
    await page.waitForTimeout(100)
}
