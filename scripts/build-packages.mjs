// Builds web/ and console/ unless a build matches its sources. `npm start` runs this script on the host's
// Node, so it is plain JavaScript for Node 20.
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
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { findCarriedNode, root } from '../bin/carried-node.mjs'
import { npm, run } from './child.mjs'
import { withLock } from './lock.mjs'

const PACKAGES = {
  web: { title: 'the site', setting: 'WEB', program: (out) => ['build.mjs', out] },
  console: {
    title: 'the console',
    setting: 'CONSOLE',
    program: (out) => ['node_modules/vite/bin/vite.js', 'build', '--outDir', out, '--logLevel', 'error'],
  },
}
const INSTALL = ['ci', '--include=dev', '--ignore-scripts']
// Limits npm retries, so that a start without a network does not wait for minutes.
INSTALL.push('--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000')

const WEEK_MS = 7 * 86_400_000
/** Maximum size of the files of earlier builds, because developers build often. */
const BYTES_MOST = 64 * 1024 * 1024

/** Ends when the current program of a build ends. Builds run one at a time, because each uses much memory. */
let lastProgram = Promise.resolve()

/**
 * Builds each enabled package that has no build of its current sources, and removes the packages that it installed for
 * the build. A failed build does not stop the start.
 */
export async function buildForStart() {
  const outdated = Object.entries(PACKAGES).filter(
    ([name, { setting }]) => process.env[setting] !== 'off' && hasSources(name) && !isBuilt(name),
  )
  const failures = await Promise.all(
    outdated.map(async ([name, { title, setting }]) => {
      try {
        await build(name, { isStart: true })
        return 0
      } catch ({ message, code }) {
        const without = existsSync(builtFile(name)) ? 'as it was built before' : 'without it'
        if (code !== 130)
          console.error(
            `kith: ${title} could not be built: ${message}. Kith starts ${without}. ` +
              `\`npm run dev -- ${name}\` tries again, ${setting}=off turns it off.`,
          )
        return code
      }
    }),
  )
  if (failures.includes(130)) process.exitCode = 130
}

async function build(name, { isStart = false } = {}) {
  const { title, program } = PACKAGES[name]
  const folder = join(root, name)
  const began = Date.now()
  await withLock(folder, async () => {
    const isCurrent = isBuilt(name)
    if (isStart && isCurrent) return
    if (!isCurrent) console.error(`kith: building ${title}, which takes a minute or two`)
    const index = JSON.stringify({ sources: hashOf(name) })
    const isTemporary = await install(folder, isStart)
    // The tests need the packages also beside a build of a start, which removed them.
    if (isCurrent) return
    const [fresh, old, built] = ['.dist-new', '.dist-old', 'dist'].map((each) => join(folder, each))
    for (const each of [fresh, old]) rmSync(each, { recursive: true, force: true })
    const building = lastProgram.then(() =>
      run(findCarriedNode() ?? process.execPath, program(fresh), {
        cwd: folder,
        env: { NODE_ENV: 'production' },
      }),
    )
    lastProgram = building.catch(() => {})
    await building
    compress(join(fresh, 'assets'))
    writeFileSync(join(fresh, 'built.json'), index)
    keepRetired(built, fresh)
    if (existsSync(built)) renameSync(built, old)
    renameSync(fresh, built)
    rmSync(old, { recursive: true, force: true })
    if (isTemporary) rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
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

/** Compares the content of all sources, because files of an archive or an older checkout keep times from before the build. */
function isBuilt(name) {
  try {
    return JSON.parse(readFileSync(builtFile(name), 'utf8')).sources === hashOf(name)
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
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

function hashOf(name) {
  const hash = createHash('sha256')
  for (const file of sourcesOf(name))
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  return hash.digest('hex')
}

/** Installs the packages of a build. Returns whether only starts use them, so that the start may remove them. */
async function install(folder, isStart) {
  const stamp = join(folder, 'node_modules', '.kith-install')
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex')
  const [present, mark] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  // An install by hand leaves npm's list of packages but no stamp. An interrupted install leaves neither.
  const isByHand = present === undefined && existsSync(join(folder, 'node_modules', '.package-lock.json'))
  const isTemporary = isStart && !isByHand && (mark === 'start' || present === undefined)
  if (present !== wanted) {
    if (!isStart) console.error(`kith: installing the packages of ${relative(root, folder)}/`)
    await npm(INSTALL, { cwd: folder })
  }
  writeFileSync(stamp, isTemporary ? `${wanted} start` : wanted)
  return isTemporary
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of process.argv.slice(2)) {
    if (!PACKAGES[name]) throw new Error(`Say what to build: ${Object.keys(PACKAGES).join(' or ')}`)
    if (!hasSources(name)) continue
    try {
      await build(name)
    } catch (error) {
      console.error(`kith: ${PACKAGES[name].title} could not be built: ${error.message}.`)
      process.exit(error.code === 130 ? 130 : 1)
    }
  }
}
