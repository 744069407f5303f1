/**
 * Looks at the console of a running demo with the Chromium of this machine: takes the pictures of docs/console.md and
 * measures how soon the first page is there.
 *
 *     node scripts/console-look.ts ADDRESS PASSWORD [FOLDER]
 *
 * PASSWORD is that of the demo's `demo_admin`; pictures go to docs/images unless FOLDER says otherwise, and then every
 * page is taken in both languages and at the width of a telephone too.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const [address = '', password = '', folder = 'docs/images'] = process.argv.slice(2)
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
)
if (!executablePath || !address || !password) {
  console.error('usage: node scripts/console-look.ts ADDRESS PASSWORD [FOLDER], with chromium installed')
  process.exit(1)
}
const isThorough = process.argv.length > 4
const RUNS = 7

type Timing = { 'first content': number; interactive: number; kilobytes: number }

const signIn = await fetch(`${address}/api/v2/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ login: 'demo_admin', password }),
})
if (!signIn.ok) throw new Error(`demo_admin cannot sign in: ${await signIn.text()}`)
const { access_token: token } = (await signIn.json()) as { access_token: string }

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

/** A page that is signed in. */
async function open(
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

/** Waits until a page has shown for a while that it waits for nothing. */
async function settle(page: Page): Promise<void> {
  await page.locator('main h1, main table, main form, main article').first().waitFor()
  const waiting = page.locator('.MuiSkeleton-root, [role=progressbar]:not([aria-valuenow])')
  for (let quiet = 0; quiet < 5; quiet = (await waiting.count()) === 0 ? quiet + 1 : 0)
    await page.waitForTimeout(100)
}

async function take(name: string, path: string, options: Parameters<typeof open>[1] = {}): Promise<void> {
  const page = await open(path, options)
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.context().close()
}

/** From the beginning of the navigation to the first content, and to what waits for decisions being there to be clicked. */
async function measure(): Promise<Timing> {
  const page = await open('/')
  await page.locator('a[href*="/queues/"] h3').first().waitFor()
  const timing = await page.evaluate(() => {
    const { performance } = globalThis as unknown as { performance: Performance }
    type Resource = PerformanceEntry & { transferSize: number }
    const resources = performance.getEntriesByType('resource') as unknown as Resource[]
    return {
      'first content': performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      interactive: performance.now(),
      kilobytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024,
    }
  })
  await page.context().close()
  return timing
}

const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

mkdirSync(folder, { recursive: true })
const timings: Timing[] = []
for (let run = 0; run < RUNS; run += 1) timings.push(await measure())
for (const name of ['first content', 'interactive', 'kilobytes'] as const)
  console.log(`${name}: ${Math.round(middle(timings.map((timing) => timing[name])))}`)

const TELEPHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
await take('console-home', '/')
await take('console-queue', '/queues/reports')
await take('console-telephone', '/', { locale: 'zh', ...TELEPHONE })
if (isThorough) {
  const page = await open('/')
  await settle(page)
  const paths = await page
    .locator('a[role=menuitem]')
    .evaluateAll((links) => links.map((link) => new URL((link as unknown as { href: string }).href).pathname))
  await page.context().close()
  for (const path of paths.map((each) => each.replace(/^\/admin/, '') || '/')) {
    const name = path.replaceAll('/', '-').slice(1) || 'home'
    await take(`en-${name}`, path)
    await take(`zh-${name}`, path, { locale: 'zh', ...TELEPHONE })
  }
}
await browser.close()
