import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { CONSOLE_FOLDER, hashSources, readBuilt } from '#platform/console/folder.ts'
import { BROWSER } from '#test/chromium.ts'
import { createWorld, type Person, type World } from '#test/world.ts'

const run = promisify(execFile)

/** The console of a world in a browser. */
export type Console = World & {
  address: string
  founder: Person
  /** A page, signed in as somebody unless told otherwise. */
  open(
    path: string,
    options?: { person?: Person | null; locale?: 'en' | 'zh' } & BrowserContextOptions,
  ): Promise<Page>
  /** Errors of pages, and what their policy refused; a test that expects none looks here. */
  faults: string[]
}

/** Builds the console where the sources have changed, and opens it on a world of its own. */
export async function openConsole(): Promise<Console> {
  if (readBuilt()?.sources !== hashSources()) {
    if (process.env.CI) throw new Error('CI builds the console before the tests: `npm run console`')
    await run(process.execPath, ['scripts/build-console.ts'])
  }
  const world = await createWorld({ PORT: '0', CONSOLE: 'on' })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  world.ctx.config.publicUrl = address
  let browser: Browser | undefined
  after(() => browser?.close())
  const faults: string[] = []
  const founder = await world.person({ roles: ['founder', 'owner'] })
  return {
    ...world,
    address,
    founder,
    faults,
    async open(path, { person = founder, locale = 'en', ...options } = {}) {
      browser ??= await chromium.launch({
        executablePath: BROWSER as string,
        args: [
          ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
          ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
        ],
      })
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
      // A busy machine is slow, and that is no failure.
      context.setDefaultTimeout(60_000)
      await context.addInitScript(
        ({ token, locale }) => {
          const storage = (globalThis as unknown as { localStorage: Map<string, string> & Storage })
            .localStorage
          if (storage.getItem('kith.console.locale') === null) storage.setItem('kith.console.locale', locale)
          if (!token || storage.getItem('kith.console.tested') !== null) return
          storage.setItem('kith.console.tested', 'yes')
          const later = Date.now() + 3_600_000
          storage.setItem('kith.console', JSON.stringify({ token, expiresAt: later, refreshUntil: later }))
        },
        { token: person?.token ?? null, locale },
      )
      await context.addInitScript(countRequests)
      const page = await context.newPage()
      page.on('pageerror', (error) => faults.push(`${page.url()}: ${error}`))
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) faults.push(message.text())
      })
      page.on('request', (request) => {
        if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address))
          faults.push(`asked ${request.url()}`)
      })
      await page.goto(`${address}/admin${path}`)
      return page
    },
  }
}

/** Has a page count its requests, so that it can be waited for what it asks. */
function countRequests() {
  const page = globalThis as unknown as Counting & { fetch: typeof fetch }
  const ask = page.fetch.bind(page)
  page.kithAsked = { open: 0, last: Date.now() }
  page.fetch = async (...given) => {
    page.kithAsked.open += 1
    try {
      return await ask(...given)
    } finally {
      page.kithAsked.open -= 1
      page.kithAsked.last = Date.now()
    }
  }
}

type Counting = { kithAsked: { open: number; last: number } }

type Storage = { getItem(key: string): string | null; setItem(key: string, value: string): void }

/** A file of a package that the console brings. */
export const ofConsole = (path: string) => join(CONSOLE_FOLDER, 'node_modules', path)

const AXE = ofConsole('axe-core/axe.min.js')

/** Waits for colours and places that are on their way to others; what turns for ever is let turn. */
const stilled = (page: Page) =>
  page.evaluate(async () => {
    const { document, requestAnimationFrame: soon } = globalThis as unknown as {
      document: {
        getAnimations(): {
          effect: { getComputedTiming(): { endTime: number } } | null
          finished: Promise<unknown>
        }[]
      }
      requestAnimationFrame(work: () => void): void
    }
    for (let frame = 0; frame < 3; frame += 1) await new Promise<void>((resolve) => soon(resolve))
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime ?? 0))
    await Promise.allSettled(ending.map(({ finished }) => finished))
  })

/** What axe finds on a page that keeps somebody out: serious and critical findings. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await stilled(page)
  await page.evaluate(readFileSync(AXE, 'utf8'))
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[]
        }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations
      .filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .map(
        ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary.slice(0, 200)}`,
      )
  })
  return found
}

/** Waits until a page has loaded what it shows. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role=status], form, table').first().waitFor()
  await page.waitForFunction(() => {
    const { open, last } = (globalThis as unknown as Counting).kithAsked
    return open === 0 && Date.now() - last > 250
  })
  await page
    .locator('.MuiSkeleton-root, [role=progressbar]:not([aria-valuenow])')
    .first()
    .waitFor({ state: 'detached' })
}

/** Opens another address as a click on a link does: without loading the console anew. */
async function follow(page: Page, path: string): Promise<void> {
  const before = await page.locator('#react-admin-title').innerText()
  await page.evaluate((path) => {
    const { history, dispatchEvent, PopStateEvent, kithAsked } = globalThis as unknown as Counting & {
      history: { pushState(state: object, title: string, path: string): void }
      dispatchEvent(event: object): void
      PopStateEvent: new (name: string) => object
    }
    kithAsked.last = Date.now()
    history.pushState({}, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/admin${path}`)
  // The page before stays until the parts of the next one are there.
  await page.waitForFunction((before) => {
    const { document } = globalThis as unknown as {
      document: { querySelector(path: string): { innerText: string } | null }
    }
    const title = document.querySelector('#react-admin-title')?.innerText
    return title && title !== before
  }, before)
  await settled(page)
}

/** Pages that no entry of the menu leads to. */
const INNER = [
  ...['/people/create', '/songs/create', '/news/create', '/roles/create'],
  ...['/people/1/show', '/feeds/1/show', '/webhooks/1/show', '/news/1'],
  ...['/reports/1/show', '/sanctions/1/show', '/appeals/1/show', '/topics/1', '/groups/1/show'],
  ...['/advertising/create', '/notices/create', '/address-blocks/create'],
]

/** Opens half of all pages, half of those in the dark, and tells what is wrong with them. */
export async function walkPages(world: Console, part: 'first half' | 'second half'): Promise<string[]> {
  const page = await world.open('/')
  await settled(page)
  const links = await page
    .locator('a[role=menuitem]')
    .evaluateAll((all) => all.map((link) => new URL((link as unknown as { href: string }).href).pathname))
  if (links.length < 35) return [`saw only ${links.length} entries`]
  const all = [...links.map((path) => path.replace(/^\/admin/, '') || '/'), ...INNER]
  const middle = Math.ceil(all.length / 2)
  const paths = part === 'first half' ? all.slice(0, middle) : all.slice(middle)
  const findings: string[] = []
  // Where the page is already, there is nothing to be waited for.
  if (paths[0] === '/') await follow(page, '/people')
  for (const [at, path] of paths.entries()) {
    await follow(page, path)
    if (at === Math.floor(paths.length / 2))
      await page.getByRole('button', { name: 'Toggle light/dark mode' }).click()
    for (const finding of await seriousFindings(page)) findings.push(`${path} ${finding}`)
    const text = await page.locator('main').innerText()
    if (/Something went wrong|Not Found/.test(text)) findings.push(`${path} ${text.slice(0, 200)}`)
  }
  await page.context().close()
  return findings
}
