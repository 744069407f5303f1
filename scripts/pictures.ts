/** Draws the picture of the site, and takes the screenshots of README and docs: `npm run dev -- pictures`. Needs Chromium and a Chinese font. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import sharp from 'sharp'
import { BROWSER } from '#test/chromium.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { settle, signIn, TELEPHONE, visit } from './console-visit.ts'

const IMAGES = resolve(import.meta.dirname, '../docs/images')
const SCREENSHOTS = resolve(import.meta.dirname, '../web/src/ui/screenshots')
const MOST_BYTES = 120_000
const PASSWORD = 'password-of-pictures'
const WIDE = { viewport: { width: 1280, height: 800 } }
const HIGH = { viewport: { width: 1280, height: 1300 } }
const TALL = { ...TELEPHONE, viewport: { width: 390, height: 800 }, deviceScaleFactor: 1.5 }

type Shot = {
  name: string
  path: string
  locale?: 'en' | 'zh'
  isDark?: boolean
  on?: BrowserContextOptions
  /** Takes the picture of a public page as a guest, instead of a page of the console. */
  isPublic?: boolean
  /** Stores the picture for the manifest of the site, which browsers show before an installation. */
  isForManifest?: boolean
}

const forManifest = (locale: 'en' | 'zh', on: BrowserContextOptions, name: string): Shot => ({
  name: `${name}-${locale}`,
  path: '/',
  isPublic: true,
  isForManifest: true,
  locale,
  on,
})
const NARROW = { ...TELEPHONE, deviceScaleFactor: 2 }

const SHOTS: Shot[] = [
  { name: 'console-home', path: '/', on: HIGH },
  { name: 'console-queue', path: '/queues/contributions' },
  { name: 'console-people', path: '/people' },
  { name: 'console-dark', path: '/', isDark: true },
  { name: 'console-chinese', path: '/queues/certifications', locale: 'zh' },
  { name: 'console-telephone', path: '/queues/reports', on: TALL },
  { name: 'demo-feeds', path: '/feeds' },
  { name: 'demo-songs', path: '/songs' },
  { name: 'site-home', path: '/', isPublic: true },
  { name: 'site-news', path: '/news', isPublic: true },
  {
    name: 'site-article',
    path: '/news/6',
    isPublic: true,
    isDark: true,
    locale: 'zh',
    on: { ...TELEPHONE, deviceScaleFactor: 1 },
  },
  ...(['en', 'zh'] as const).flatMap((locale) => [
    forManifest(locale, WIDE, 'wide'),
    forManifest(locale, NARROW, 'narrow'),
  ]),
  { name: 'api-page', path: '/docs#post-/api/v2/feeds', isPublic: true },
]

if (!BROWSER) throw new Error('Chromium is not installed')
if (execFileSync('fc-list', [':lang=zh'], { encoding: 'utf8' }).trim() === '')
  throw new Error('there is no font for Chinese (apt-get install fonts-noto-cjk)')

const run = (script: string, args: string[], env: NodeJS.ProcessEnv) =>
  execFileSync(process.execPath, [join(import.meta.dirname, script), ...args], { env, stdio: 'inherit' })

async function keep(name: string, picture: Buffer): Promise<void> {
  for (const colours of [256, 128, 64, 32, 16]) {
    const png = await sharp(picture)
      .png({ palette: true, colours, effort: 10, compressionLevel: 9 })
      .toBuffer()
    if (png.length > MOST_BYTES) continue
    await writeFile(join(IMAGES, `${name}.png`), png)
    process.stdout.write(`${name}.png: ${Math.round(png.length / 1000)} KB, ${colours} colours\n`)
    return
  }
  throw new Error(`${name} does not fit into ${MOST_BYTES} bytes`)
}

async function takePublic(browser: Browser, address: string, shot: Shot): Promise<void> {
  const context = await browser.newContext({
    ...(shot.on ?? WIDE),
    locale: shot.locale === 'zh' ? 'zh-CN' : 'en',
    colorScheme: shot.isDark ? 'dark' : 'light',
  })
  const page = await context.newPage()
  await page.goto(address + shot.path, { waitUntil: 'networkidle' })
  await page.waitForTimeout(800)
  const picture = await page.screenshot()
  await (shot.isForManifest ? keepForManifest(shot.name, picture) : keep(shot.name, picture))
  await context.close()
}

async function keepForManifest(name: string, picture: Buffer): Promise<void> {
  const webp = await sharp(picture).webp({ quality: 55, effort: 6 }).toBuffer()
  await writeFile(join(SCREENSHOTS, `${name}.webp`), webp)
  process.stdout.write(`${name}.webp: ${Math.round(webp.length / 1000)} KB\n`)
}

async function take(browser: Browser, site: { address: string; token: string }, shot: Shot): Promise<void> {
  if (shot.isPublic) return takePublic(browser, site.address, shot)
  const page = await visit(browser, site, shot.path, { ...(shot.on ?? WIDE), locale: shot.locale ?? 'en' })
  await page.waitForLoadState('networkidle')
  await settle(page)
  if (shot.isDark) await page.getByRole('button', { name: 'Toggle light/dark mode' }).click()
  // Ends hover effects, and waits for their transitions.
  await page.mouse.move(0, 0)
  await page.waitForTimeout(800)
  await keep(shot.name, await page.screenshot())
  await page.context().close()
}

/** Draws the picture that other networks show beside a link to the site. */
async function drawSitePicture(): Promise<void> {
  const ui = resolve(import.meta.dirname, '../web/src/ui')
  const mark = (await readFile(join(ui, 'mark.svg'), 'utf8')).replace(
    '<svg ',
    '<svg x="196" y="145" width="340" height="340" ',
  )
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="630">
<rect width="1200" height="630" fill="#fbfaf8"/>${mark}
<text x="576" y="385" font-family="Noto Sans, Noto Sans CJK SC, sans-serif" font-weight="700" font-size="200" fill="#1c2321">Kith</text>
</svg>`
  await sharp(Buffer.from(svg))
    .png({ palette: true, colours: 64, effort: 10, compressionLevel: 9 })
    .toFile(join(ui, 'site.png'))
}

await drawSitePicture()
const folder = await mkdtemp(join(tmpdir(), 'kith-pictures-'))
const port = await findFreePort()
const address = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  DATA_DIR: join(folder, 'kith'),
  PORT: String(port),
  CONSOLE: 'on',
  PROCESSES: '1',
  RATE_LIMIT_USER: '0',
  RATE_LIMIT_FILES: '0',
  RATE_LIMIT_VARIANTS: '0',
  LOG_LEVEL: 'warn',
}
run('build-packages.mjs', ['console'], env)
run('build-packages.mjs', ['web'], env)
run('../src/cli.ts', ['demo', '--seed', '1', '--password', PASSWORD], env)
const server = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], {
  env,
  stdio: 'inherit',
})
let browser: Browser | undefined
try {
  await waitForAnswer(`${address}/health/ready`)
  const site = { address, token: await signIn(address, PASSWORD) }
  browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] })
  const wanted = process.argv.slice(2)
  for (const shot of SHOTS)
    if (wanted.length === 0 || wanted.includes(shot.name)) await take(browser, site, shot)
} finally {
  await browser?.close()
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
}
