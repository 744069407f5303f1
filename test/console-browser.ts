import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after } from 'node:test'
import { promisify } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { packageFolder } from '#platform/http'
import { BROWSER } from '#test/chromium.ts'
import { updateSettings } from '#test/settings.ts'
import { createWorld, type Person, type World } from '#test/world.ts'

const run = promisify(execFile)

export type Console = World & {
  address: string
  founder: Person
  open(
    path: string,
    options?: { person?: Person | null; locale?: 'en' | 'zh' } & BrowserContextOptions,
  ): Promise<Page>
  faults: string[]
}

export async function openConsole(env: Record<string, string> = {}): Promise<Console> {
  await run(process.execPath, ['scripts/build-packages.mjs', 'console'])
  const world = await createWorld({ PORT: '0', CONSOLE: 'on', ...env })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  world.ctx.config.publicUrl = address
  let browser: Browser | undefined
  after(() => browser?.close())
  const faults: string[] = []
  const founder = await world.person({ roles: ['founder', 'owner'] })
  // The home page of a new site leads to its first steps.
  await updateSettings(world.ctx, world.sql, { 'site:setup': ['closed'] })
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

const UNDO_MS = 5000

type Counting = { kithAsked: { open: number; last: number } }

type Storage = { getItem(key: string): string | null; setItem(key: string, value: string): void }

export const ofConsole = (path: string) => join(packageFolder('console'), 'node_modules', path)

const AXE = ofConsole('axe-core/axe.min.js')

export async function passUndo(page: Page): Promise<void> {
  await page.clock.fastForward(UNDO_MS + 1000)
  await settled(page)
}

const animationsEnd = (page: Page) =>
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

export async function findings(page: Page, rules?: string[]): Promise<string[]> {
  await animationsEnd(page)
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(readFileSync(AXE, 'utf8'))
  return page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
        }>
      }
    }
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
    })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary.slice(0, 200)}`,
    )
  }, rules)
}

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
  // Waits for the new title, because the previous page stays visible until the next one is loaded.
  await page.waitForFunction((before) => {
    const { document } = globalThis as unknown as {
      document: { querySelector(path: string): { innerText: string } | null }
    }
    const title = document.querySelector('#react-admin-title')?.innerText
    return title && title !== before
  }, before)
  await settled(page)
}

const INNER = [
  ...['/people/create', '/songs/create', '/news/create', '/roles/create'],
  ...['/people/1/show', '/feeds/1/show', '/webhooks/1/show', '/news/1'],
  ...['/reports/1/show', '/sanctions/1/show', '/appeals/1/show', '/topics/1', '/groups/1/show'],
  ...['/account', '/advertising/create', '/notices/create', '/address-blocks/create'],
]

export async function openJobs(page: Page): Promise<void> {
  const closed = page.locator('nav [aria-expanded=false]')
  while ((await closed.count()) > 0) await closed.first().click()
}

async function switchTheme(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Toggle light\/dark mode|切换浅色\/深色)$/ }).click()
  // Waits until the tooltip has faded out, because axe would check its text.
  await page.mouse.move(0, 0)
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
}

export async function walkPages(
  world: Console,
  part: 'first half' | 'second half',
  locale: 'en' | 'zh',
): Promise<string[]> {
  const page = await world.open('/', { locale })
  await settled(page)
  await openJobs(page)
  const links = await page
    .locator('a[role=menuitem]')
    .evaluateAll((all) => all.map((link) => new URL((link as unknown as { href: string }).href).pathname))
  if (links.length < 35) return [`saw only ${links.length} entries`]
  const all = [...links.map((path) => path.replace(/^\/admin/, '') || '/'), ...INNER]
  const middle = Math.ceil(all.length / 2)
  const paths = part === 'first half' ? all.slice(0, middle) : all.slice(middle)
  const problems: string[] = []
  // Leaves the home page first, because `follow` waits until the title changes.
  if (paths[0] === '/') await follow(page, '/people')
  for (const path of paths) {
    await follow(page, path)
    const found = await findings(page)
    // Checks only contrast in the second theme, because themes change only colours.
    await switchTheme(page)
    found.push(...(await findings(page, ['color-contrast'])))
    problems.push(...found.map((finding) => `${locale} ${path} ${finding}`))
    const text = await page.locator('main').innerText()
    if (/Something went wrong|Not Found|出错了|未找到/.test(text))
      problems.push(`${locale} ${path} ${text.slice(0, 200)}`)
  }
  await page.context().close()
  return problems
}
