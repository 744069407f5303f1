/**
 * Checks the files of a release as a person would use them, without a network: starts the archive in an empty folder,
 * runs docs/first-hour.md, opens site and console in a browser, upgrades sites of earlier versions, installs the SDK in
 * an empty project and reads the documentation.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve, sep } from 'node:path'
import { chromium } from 'playwright-core'
import { BROWSER } from '#test/chromium.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const OFFLINE = 'KITH_RELEASE_OFFLINE'
const UPGRADED = 'test/fixtures/upgrade'

/** Time for commands that should take seconds, so that a hanging one fails. */
const PATIENCE_MS = 300_000

type Options = { out: string; data: readonly string[]; backup: readonly string[] }

const say = (line: string) => console.log(line)
function check(isTrue: unknown, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Error(otherwise)
}

/** Returns the command that runs another one without a network, or the reason why none can. */
function findIsolation(): string[] | string {
  const isRoot = process.getuid?.() === 0
  const namespaces = isRoot ? ['--net'] : ['--user', '--map-current-user', '--keep-caps', '--net']
  const command = ['unshare', ...namespaces, '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
  const { status, stderr, error } = spawnSync('unshare', [...command.slice(1), 'true'], { encoding: 'utf8' })
  return status === 0 ? command : (error?.message ?? stderr.trim())
}

/** Checks the release in `out`. Starts itself again in a namespace without a network, if the system allows that. */
export async function checkRelease(options: Options): Promise<void> {
  const isolation = findIsolation()
  if (process.env[OFFLINE] === undefined && typeof isolation !== 'string') {
    const [command = '', ...args] = [...isolation, process.execPath, ...process.argv.slice(1)]
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, [OFFLINE]: '1' } })
    const [code] = (await once(child, 'exit')) as [number | null]
    process.exitCode = code ?? 1
    return
  }
  if (typeof isolation === 'string')
    console.error(
      `The check runs with the network of this machine, because it cannot take it away: ${isolation}`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'kith-check-'))
  chmodSync(folder, 0o755)
  try {
    await checkAll(folder, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function checkAll(folder: string, { out, data, backup }: Options): Promise<void> {
  const names = readdirSync(out)
  const summed = spawnSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], {
    cwd: out,
    encoding: 'utf8',
  })
  check(summed.status === 0, `The checksums differ: ${summed.stdout}${summed.stderr}`)
  const find = (end: string) => {
    const name = names.find((each) => each.endsWith(end))
    check(name, `${out} has no file that ends with ${end}.`)
    return join(out, name)
  }
  const archive = find(`-${process.platform}-${process.arch}.tar.gz`)
  unpack(archive, folder)
  const [name = ''] = readdirSync(folder)
  const root = join(folder, name)
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  say(`${name}: ${(statSync(archive).size / 1e6).toFixed(0)} MB packed, ${files.length} files`)

  const version = name.replace('kith-', '')
  const first = await startSite(folder, root, 'fresh')
  say(`First page ${first.seconds.toFixed(1)} s after npm start`)
  try {
    await checkVersion(first, root, version)
    await checkPages(first.address)
    const home = join(folder, 'hour')
    mkdirSync(home)
    const blocks = [
      ...readFileSync(join(root, 'docs/first-hour.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g),
    ]
    const script = blocks.map(([, block]) => block).join('\n')
    const env = { ...first.env, KITH: first.address, LOG: first.log }
    const hour = spawnSync('bash', ['-eu', '-o', 'pipefail', '-c', script], {
      cwd: home,
      env,
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    })
    check(
      hour.status === 0 && !hour.stdout.includes('"errors"'),
      `The first hour failed: ${hour.stdout}${hour.stderr}`,
    )
    say(`docs/first-hour.md: ${blocks.length} blocks run`)
    await checkClient(folder, find(`kith-client-${version}.tgz`), first.address)
  } finally {
    await first.stop()
  }
  const backups = readdirSync(UPGRADED).filter((each) => each.endsWith('.backup'))
  for (const file of [...backups.map((each) => join(UPGRADED, each)), ...backup])
    await checkUpgrade(folder, root, { from: file, isBackup: true })
  for (const from of data) await checkUpgrade(folder, root, { from, isBackup: false })
  checkDocumentation(folder, find('-docs.tar.gz'))
  say('The release works.')
}

function unpack(archive: string, folder: string): void {
  const { status, stderr } = spawnSync('tar', ['xzf', resolve(archive), '-C', folder], { encoding: 'utf8' })
  check(status === 0, `${archive} cannot be unpacked: ${stderr}`)
}

type Running = {
  address: string
  env: NodeJS.ProcessEnv
  seconds: number
  log: string
  stop: () => Promise<void>
}

/** An environment of a person without packages in a cache of npm. */
function environmentOf(folder: string, dataDir: string): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((each) => !each.includes(`node_modules${sep}.bin`))
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  return { PATH: path.join(delimiter), HOME: home, LANG: process.env.LANG, DATA_DIR: dataDir }
}

async function startSite(folder: string, root: string, name: string): Promise<Running> {
  const port = await findFreePort()
  const env = { ...environmentOf(folder, join(folder, `data-${name}`)), PORT: String(port) }
  const log = join(folder, `${name}.log`)
  const output = openSync(log, 'w')
  const began = Date.now()
  const server = spawn('npm', ['start'], { cwd: root, env, stdio: ['ignore', output, output] })
  const ended = once(server, 'exit')
  const address = `http://127.0.0.1:${port}`
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  try {
    await waitForAnswer(`${address}/health/ready`, server)
    const page = await fetch(`${address}/`, { headers: { accept: 'text/html' } })
    check(page.ok, `/ answers ${page.status}.`)
    const seconds = (Date.now() - began) / 1000
    const logged = readFileSync(log, 'utf8')
    check(!/installing|building/.test(logged), `npm start installed or built something: ${logged}`)
    return { address, env, seconds, log, stop }
  } catch (error) {
    await stop()
    throw new Error(`The start of ${name} failed: ${readFileSync(log, 'utf8')}`, { cause: error })
  }
}

function kith(root: string, env: NodeJS.ProcessEnv, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('node', ['bin/kith.js', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
  })
  check(status === 0, `kith ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return stdout
}

async function checkVersion({ address, env, log }: Running, root: string, version: string): Promise<void> {
  const told = kith(root, env, '--version').trim()
  check(told === `Kith ${version}`, `kith --version says ${told}.`)
  const { version: healthy } = (await (await fetch(`${address}/health`)).json()) as { version?: string }
  check(healthy === version, `/health says ${healthy}.`)
  check(readFileSync(log, 'utf8').includes(`Kith ${version} is running`), 'The banner names another version.')
}

/** Loads site, console and API documentation, with every script and style that they name. */
async function checkPages(address: string): Promise<void> {
  for (const path of ['/', '/admin', '/docs']) {
    const page = await fetch(`${address}${path}`, { headers: { accept: 'text/html' } })
    check(page.ok, `${path} answers ${page.status}.`)
    const html = await page.text()
    const assets = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
      ([, url]) => url,
    )
    check(assets.length > 0, `${path} names no script.`)
    for (const url of assets) {
      const { ok, status } = await fetch(new URL(url ?? '', address + path))
      check(ok, `${url} of ${path} answers ${status}.`)
    }
  }
  if (!BROWSER)
    return say('Site and console: loaded, but seen in no browser, because chromium is not installed')
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
  try {
    for (const path of ['/', '/admin']) {
      const page = await browser.newPage()
      const faults: string[] = []
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
      await page.goto(`${address}${path}`)
      await page.locator('form, main').first().waitFor()
      check(faults.length === 0, `${path} in a browser: ${faults.join('; ')}`)
    }
  } finally {
    await browser.close()
  }
  say('Site and console: open in a browser without an error')
}

const PROGRAM = `import { createClient } from '@kith/client'
const kith = createClient({ url: process.env.KITH })
const settings = await kith.get('/bootstrappers')
for await (const feed of kith.list('/feeds')) console.log(typeof settings, feed.feed_content)
`

async function checkClient(folder: string, file: string, address: string): Promise<void> {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "type": "module", "private": true }\n')
  writeFileSync(join(project, 'program.js'), PROGRAM)
  const env = { ...environmentOf(folder, ''), KITH: address }
  const options = { cwd: project, env, encoding: 'utf8' } as const
  const installed = spawnSync(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', resolve(file)],
    options,
  )
  check(installed.status === 0, `The SDK cannot be installed: ${installed.stderr}`)
  const { status, stdout, stderr } = spawnSync('node', ['program.js'], options)
  check(status === 0 && stdout.includes('object '), `The SDK does not work: ${stdout}${stderr}`)
  say(`The SDK: installed in an empty project, read ${stdout.trim().split('\n').length} feeds`)
}

/** Starts the archive on the data of an earlier version, and compares the counts of the site with its contents. */
async function checkUpgrade(
  folder: string,
  root: string,
  of: { from: string; isBackup: boolean },
): Promise<void> {
  const name = `upgraded-${readdirSync(folder).length}`
  const dataDir = join(folder, `data-${name}`)
  if (of.isBackup) kith(root, environmentOf(folder, dataDir), 'restore', resolve(of.from))
  else {
    check(existsSync(of.from), `There is no folder ${of.from}.`)
    cpSync(of.from, dataDir, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  }
  const site = await startSite(folder, root, name)
  try {
    const reply = await fetch(`${site.address}/api/v2/feeds?limit=100`)
    const { feeds } = (await reply.json()) as { feeds: { images: { file: number }[] }[] }
    check(feeds.length > 0, `The upgraded site of ${of.from} has no feeds.`)
    const picture = feeds.flatMap(({ images }) => images)[0]
    check(picture, `The upgraded site of ${of.from} has no pictures.`)
    const { status, headers } = await fetch(`${site.address}/api/v2/files/${picture.file}`)
    check(headers.get('content-type')?.startsWith('image/'), `The picture ${picture.file} answers ${status}.`)
    kith(root, site.env, 'doctor')
    say(`Upgraded ${of.from}: ${feeds.length} feeds on the first page, a picture, and no fault in the doctor`)
  } finally {
    await site.stop()
  }
  rmSync(dataDir, { recursive: true, force: true })
}

function checkDocumentation(folder: string, archive: string): void {
  const before = new Set(readdirSync(folder))
  unpack(archive, folder)
  const [name = ''] = readdirSync(folder).filter((each) => !before.has(each))
  const root = join(folder, name)
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.html'),
  )
  let links = 0
  for (const page of pages)
    for (const [, url = ''] of readFileSync(join(root, page), 'utf8').matchAll(
      /(?:src|href)="(\/[^"#?]*)"/g,
    )) {
      const found = [url, `${url}.html`, `${url}/index.html`].some((each) => existsSync(join(root, each)))
      check(found, `${page} of the documentation names ${url}, which is missing.`)
      links += 1
    }
  check(
    pages.length > 40 && links > 1000,
    `The documentation has only ${pages.length} pages and ${links} links.`,
  )
  say(`Documentation: ${pages.length} pages, ${links} links`)
}
