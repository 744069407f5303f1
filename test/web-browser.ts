import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { builtFolder, packageFolder } from '#platform/http'
import { BROWSER } from '#test/chromium.ts'
import { createWorld, type Person, type World } from '#test/world.ts'

const run = promisify(execFile)

export const TELEPHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
}

export type Site = World & {
  address: string
  open(path: string, options?: { person?: Person } & BrowserContextOptions): Promise<Page>
  faults: string[]
}

export async function buildSite(): Promise<void> {
  await run(process.execPath, ['scripts/build-packages.mjs', 'web'])
}

export const cookieOf = ({ token }: Person): string =>
  `kith_session=${token}.${Math.floor(Date.now() / 1000) + 3600}`

export async function openSite(
  env: Record<string, string> = {},
  make: (env: Record<string, string>) => Promise<World> = createWorld,
): Promise<Site> {
  await buildSite()
  const world = await make({ PORT: '0', WEB: 'on', RATE_LIMIT_ANONYMOUS: '0', RATE_LIMIT_PAGES: '0', ...env })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  world.ctx.config.publicUrl = address
  let browser: Browser | undefined
  after(() => browser?.close())
  const faults: string[] = []
  return {
    ...world,
    address,
    faults,
    async open(path, { person, ...options } = {}) {
      browser ??= await chromium.launch({
        executablePath: BROWSER as string,
        args: [
          '--no-sandbox',
          '--disable-gpu',
          '--disable-background-networking',
          '--no-first-run',
          '--use-fake-device-for-media-stream',
        ],
      })
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        // Requests of a service worker cannot be replaced by a test. Tests of the worker allow it.
        serviceWorkers: 'block',
        ...options,
      })
      context.setDefaultTimeout(60_000)
      if (person) {
        const [name = '', value = ''] = cookieOf(person).split('=')
        await context.addCookies([{ name, value, url: address, httpOnly: true, sameSite: 'Lax' }])
      }
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(`${page.url()}: ${error}`))
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to|TrustedHTML/.test(message.text())) faults.push(message.text())
      })
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address))
          faults.push(`asked ${request.url()}`)
      })
      await page.goto(address + path)
      if (options.javaScriptEnabled !== false) await page.locator('html[data-ready]').waitFor()
      return page
    },
  }
}

const AXE = () => readFileSync(join(packageFolder('web'), 'node_modules/axe-core/axe.min.js'), 'utf8')

export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE())
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary.slice(0, 200)}`,
    )
  })
}

/** Presses the button of the open question that agrees. */
export async function agree(page: Page, action: string): Promise<void> {
  await page.getByRole('alertdialog').getByRole('button', { name: action, exact: true }).click()
}

/** Forms of a page without scripts that work with them. Searches put what they look for into the address. */
const HANDLED = /action="\/sign-out"/
const SEARCHES = /action="\/(?:search|chats)"/
const HANDLED_PAGES = ['/sign-in', '/join', '/forgotten-password']

/** Returns the forms that a visitor could send before the scripts run, and lose or publish what was typed. */
export function unsafeForms(path: string, html: string): { seen: number; unsafe: string[] } {
  const forms = [...html.matchAll(/<form([^>]*)>.*?<\/form>/gs)]
  const unsafe = forms.flatMap(([form, attributes = '']) => {
    if (SEARCHES.test(attributes)) return []
    const isHandled = HANDLED.test(attributes) || HANDLED_PAGES.includes(path)
    const isDisabled = /<button(?=[^>]*type="submit")(?=[^>]*disabled)/.test(form)
    return attributes.includes('method="post"') && (isHandled || isDisabled)
      ? []
      : [`${path}: ${form.slice(0, 300)}`]
  })
  return { seen: forms.length, unsafe }
}

export async function look(page: Page, name: string): Promise<void> {
  if (process.env.KITH_SCREENSHOTS)
    await page.screenshot({ path: `${process.env.KITH_SCREENSHOTS}/${name}.png` })
}

/** Polls the page, because its content security policy forbids `waitForFunction` with a string. */
export async function until(page: Page, expression: string): Promise<void> {
  for (let n = 0; n < 600; n += 1) {
    if (await page.evaluate(expression)) return
    await page.waitForTimeout(100)
  }
  throw new Error(`Never true: ${expression}`)
}

/** Size budgets in compressed bytes. */
const BUDGET = JSON.parse(readFileSync(join(packageFolder('web'), 'budget.json'), 'utf8')) as Record<
  'firstVisit' | 'scripts' | 'reading' | 'laterRoute',
  number
>

function sizeOf(file: string): number {
  const full = join(builtFolder('web'), file.replace(/^\/_\//, ''))
  const { size } = statSync(full)
  return size < 1024 ? size : statSync(`${full}.br`).size
}

export async function weigh(address: string, path: string): Promise<void> {
  const html = await (await fetch(address + path, { headers: { accept: 'text/html' } })).text()
  const files = [...new Set([...html.matchAll(/\/_\/assets\/[\w.-]+\.(?:js|css)/g)].map(([file]) => file))]
  const sum = (end: string) =>
    files.filter((file) => file.endsWith(end)).reduce((total, file) => total + sizeOf(file), 0)
  const [page, scripts, styles] = [brotliCompressSync(html).length, sum('.js'), sum('.css')]
  console.log(`${path}: page ${page}, scripts ${scripts}, styles ${styles} bytes`)
  assert.ok(scripts > 10_000 && scripts <= BUDGET.scripts, `${path}: ${scripts} bytes of scripts`)
  assert.ok(page + scripts + styles <= BUDGET.firstVisit, `${path}: ${page + scripts + styles} bytes`)
  if (path !== '/') assert.ok(page + styles <= BUDGET.reading, `${path}: ${page + styles} bytes to read`)
}

export function weighRoutes(): void {
  const manifest = JSON.parse(readFileSync(join(builtFolder('web'), 'manifest.json'), 'utf8')) as {
    preload: string[]
    pages: Record<string, string[]>
  }
  const first = new Set(manifest.preload)
  for (const [name, files] of Object.entries(manifest.pages)) {
    const bytes = files.filter((file) => !first.has(file)).reduce((sum, file) => sum + sizeOf(file), 0)
    assert.ok(bytes <= BUDGET.laterRoute, `${name}: ${bytes} bytes`)
  }
}
