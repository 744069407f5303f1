// Builds web/ and console/ unless a build matches its sources. `npm start` runs this script on the host's
// Node, so it is plain JavaScript for Node 20.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { ENDING, withLock } from './lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const PACKAGES = {
  web: { title: 'the site', setting: 'WEB', program: (out) => ['build.mjs', out] },
  console: {
    title: 'the console',
    setting: 'CONSOLE',
    program: (out) => ['node_modules/vite/bin/vite.js', 'build', '--outDir', out, '--logLevel', 'error'],
  },
}
const NPM = ['ci', '--include=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
// Limits npm retries, so that a start without a network does not wait for minutes.
NPM.push('--loglevel=error', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000')

const WEEK_MS = 7 * 86_400_000
/** Maximum size of the files of earlier builds, because developers build often. */
const BYTES_MOST = 64 * 1024 * 1024

let child
let interrupted

/**
 * Builds each enabled package that has no build of its current sources. A failed build does not stop the start.
 */
export async function buildForStart() {
  for (const [name, { title, setting }] of Object.entries(PACKAGES)) {
    if (process.env[setting] === 'off' || !hasSources(name) || isBuilt(name)) continue
    try {
      await build(name)
    } catch (error) {
      if (interrupted) process.exit(130)
      const without = existsSync(builtFile(name)) ? 'as it was built before' : 'without it'
      console.error(
        `kith: ${title} could not be built: ${error.message}. Kith starts ${without}. ` +
          `\`npm run ${name}\` tries again, ${setting}=off turns it off.`,
      )
    }
  }
}

async function build(name) {
  const { title, program } = PACKAGES[name]
  const folder = join(root, name)
  const began = Date.now()
  await withLock(folder, async () => {
    if (isBuilt(name)) return
    console.error(`kith: building ${title}, which takes a minute or two`)
    const index = JSON.stringify({ seen: stampOf(name), sources: hashOf(name) })
    await install(folder)
    const [fresh, old, built] = ['.dist-new', '.dist-old', 'dist'].map((each) => join(folder, each))
    for (const each of [fresh, old]) rmSync(each, { recursive: true, force: true })
    await run(findNode(), program(fresh), folder)
    compress(join(fresh, 'assets'))
    writeFileSync(join(fresh, 'built.json'), index)
    keepRetired(built, fresh)
    if (existsSync(built)) renameSync(built, old)
    renameSync(fresh, built)
    rmSync(old, { recursive: true, force: true })
    console.error(`kith: ${title} is built (${Math.round((Date.now() - began) / 1000)} s)`)
  })
}

/**
 * Keeps the files of the old build in the new one for a week, because open pages and stored documents still load
 * scripts of their own build. `retired.json` in a built folder has the time at which each of them left the build.
 */
export function keepRetired(old, fresh, now = Date.now()) {
  const [from, to] = [join(old, 'assets'), join(fresh, 'assets')]
  if (!existsSync(from)) return
  const before = readRetired(old)
  const retired = readdirSync(from)
    .filter((name) => !existsSync(join(to, name)))
    .map((name) => ({ name, at: before[name] ?? now, size: statSync(join(from, name)).size }))
    .sort((a, b) => b.at - a.at)
  const kept = {}
  let bytes = 0
  for (const { name, at, size } of retired) {
    bytes += size
    if (now - at > WEEK_MS || bytes > BYTES_MOST) continue
    addFile(join(from, name), join(to, name))
    kept[name] = at
  }
  writeFileSync(join(fresh, 'retired.json'), JSON.stringify(kept))
}

function readRetired(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'retired.json'), 'utf8'))
  } catch {
    return {}
  }
}

/** Links the file, or copies it to a file system without links. */
function addFile(from, to) {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

const builtFile = (name) => join(root, name, 'dist', 'built.json')

const hasSources = (name) => existsSync(join(root, name, 'package-lock.json'))

/** Compares file times and sizes first. Hashes contents only if either differs, such as after a checkout. */
function isBuilt(name) {
  let built
  try {
    built = JSON.parse(readFileSync(builtFile(name), 'utf8'))
  } catch {
    return false
  }
  const seen = stampOf(name)
  if (built.seen === seen) return true
  if (built.sources !== hashOf(name)) return false
  try {
    writeFileSync(builtFile(name), JSON.stringify({ ...built, seen }))
  } catch {}
  return true
}

function sourcesOf(name) {
  const filesIn = (folder, recursive = false) =>
    (existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive, withFileTypes: true })
      : []
    )
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return [
    ...[filesIn(name), filesIn(join(name, 'src'), true), filesIn(join(name, 'public'), true)],
    ...[filesIn('sdk'), filesIn(join('sdk', 'src'), true), [join(root, 'openapi.json')].filter(existsSync)],
  ]
    .flat()
    .sort()
}

function digest(name, describe) {
  const hash = createHash('sha256')
  for (const file of sourcesOf(name))
    hash
      .update(`${relative(root, file)}\0`)
      .update(describe(file))
      .update('\0')
  return hash.digest('hex')
}

const hashOf = (name) => digest(name, (file) => readFileSync(file))

const stampOf = (name) =>
  digest(name, (file) => {
    const { size, mtimeMs } = statSync(file)
    return `${size} ${mtimeMs}`
  })

async function install(folder) {
  const stamp = join(folder, 'node_modules', '.kith-install')
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const isDirect = npm?.endsWith('npm-cli.js') && node && !node.includes(`${sep}node_modules${sep}node-`)
  await run(isDirect ? node : 'npm', isDirect ? [npm, ...NPM] : NPM, folder)
  writeFileSync(stamp, wanted)
}

function compress(assets) {
  mkdirSync(assets, { recursive: true })
  for (const name of readdirSync(assets).filter((each) => /\.(js|css|svg|json)$/.test(each))) {
    const bytes = readFileSync(join(assets, name))
    if (bytes.length < 1024) continue
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes))
  }
}

/** Prefers the bundled Node, because builds need a newer version than the host may have. */
function findNode() {
  const program = process.platform === 'win32' ? ['bin', 'node.exe'] : ['bin', 'node']
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const found = ['node', 'node-bin']
    .map((name) => join(root, 'node_modules', `${name}-${platform}-${process.arch}`, ...program))
    .find((path) => existsSync(path))
  return found ?? process.execPath
}

async function run(program, args, folder) {
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((each) => !each.endsWith(`node_modules${sep}.bin`))
    .join(delimiter)
  child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, PATH: path, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && program === 'npm',
  })
  const pass = (signal) => {
    interrupted = signal
    child.kill(signal)
  }
  for (const signal of ENDING) process.on(signal, pass)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said = (said + chunk).slice(-4000)
    })
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) =>
      resolve(error.code === 'ENOENT' ? `${program} was not found` : error.message),
    )
    child.once('close', (code, signal) =>
      resolve(code === 0 ? '' : sentenceOf(said) || signal || `exit code ${code}`),
    )
  })
  for (const signal of ENDING) process.off(signal, pass)
  if (outcome || interrupted) throw new Error(outcome || interrupted)
}

function sentenceOf(said) {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (error|warn) ?/, '').trim())
    .filter((line) => line !== '' && !/^(code|errno|syscall|path|dest) /.test(line))
  return (
    lines.find((line) => /error|request to|ENOTFOUND|EACCES|ENOSPC/i.test(line)) ??
    lines.at(-1) ??
    ''
  ).slice(0, 300)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of process.argv.slice(2)) {
    if (!PACKAGES[name]) throw new Error(`Say what to build: ${Object.keys(PACKAGES).join(' or ')}`)
    if (isBuilt(name)) continue
    try {
      await build(name)
    } catch (error) {
      console.error(`kith: ${PACKAGES[name].title} could not be built: ${error.message}.`)
      process.exit(interrupted ? 130 : 1)
    }
  }
}
