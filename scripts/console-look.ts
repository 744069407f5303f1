/**
 * Takes the screenshots of docs/console.md from a running demo: `node scripts/console-look.ts URL PASSWORD
 * [FOLDER]`. With FOLDER, captures every page in both languages. Also prints how fast the start page loads.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { BROWSER } from '#test/chromium.ts'
import { settle, signIn, TELEPHONE, visit } from './console-visit.ts'

const [address = '', password = '', folder = 'docs/images'] = process.argv.slice(2)
if (!BROWSER || !address || !password) {
  console.error('usage: node scripts/console-look.ts ADDRESS PASSWORD [FOLDER], with chromium installed')
  process.exit(1)
}
const isThorough = process.argv.length > 4
const RUNS = 7

type Timing = { 'first content': number; interactive: number; kilobytes: number }

const site = { address, token: await signIn(address, password) }
const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] })

type Options = Parameters<typeof visit>[3]
const open = (path: string, options?: Options) => visit(browser, site, path, options)

async function take(name: string, path: string, options?: Options): Promise<void> {
  const page = await open(path, options)
  await settle(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.context().close()
}

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

await take('console-home', '/')
await take('console-queue', '/queues/reports')
await take('console-telephone', '/', { locale: 'zh', ...TELEPHONE })
if (isThorough) {
  const page = await open('/')
  await settle(page)
  const closed = page.locator('nav [aria-expanded=false]')
  while ((await closed.count()) > 0) await closed.first().click()
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
