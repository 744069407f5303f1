// Installs missing or outdated dependencies before `npm start`, `npm test` and other commands. Runs on the
// host's Node, so it is plain JavaScript for Node 20 without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildForStart } from './build-packages.mjs'
import { ENDING, withLock } from './lock.mjs'

const kith = fileURLToPath(new URL('..', import.meta.url))
const root = process.argv[2] ? resolve(process.argv[2]) : kith
const oldestNode = 24
const isStart = process.env.npm_lifecycle_event === 'prestart'
const needsTools = !isStart
const modules = join(root, 'node_modules')
const unused = ['typescript', '@typescript']
const stamp = join(modules, '.kith-install')

function readState() {
  try {
    const lock = createHash('sha256')
      .update(readFileSync(join(root, 'package-lock.json')))
      .digest('hex')
    const installed = statSync(join(root, 'node_modules', '.package-lock.json')).mtimeMs
    return [lock, installed, process.platform, process.arch, needsTools].join(' ')
  } catch {
    return null
  }
}

function isStamped() {
  try {
    return readFileSync(stamp, 'utf8') === readState()
  } catch {
    return false
  }
}

function writeStamp() {
  try {
    writeFileSync(stamp, String(readState()))
  } catch {}
}

function findReason() {
  const wanted = readPackages('package-lock.json')
  const present = readPackages('node_modules/.package-lock.json')
  if (!wanted) return null
  if (!present) return 'no dependencies yet'
  for (const [path, entry] of Object.entries(wanted)) {
    const found = present[path]
    if (!found && isRequired(entry)) return `${path} is missing`
    if (found && isOther(found, entry)) return `${path} has changed`
  }
  for (const [path, entry] of Object.entries(present)) {
    if (!wanted[path]) continue
    if (!fits(entry)) return `${path} was installed on another kind of machine`
    if (!existsSync(join(root, path)) && (needsTools || !isUnused(path))) return `${path} is missing`
  }
  return null
}

function isRequired({ optional, devOptional, peer, link, dev }) {
  if (optional || devOptional || peer || link) return false
  return needsTools || !dev
}

function isUnused(path) {
  return unused.some((name) => path === `node_modules/${name}` || path.startsWith(`node_modules/${name}/`))
}

function hasTools() {
  const wanted = readPackages('package-lock.json') ?? {}
  const present = readPackages('node_modules/.package-lock.json') ?? {}
  return Object.entries(wanted).some(([path, entry]) => entry.dev && present[path])
}

/**
 * Returns whether only development tools are missing. Installing them replaces no package that a running
 * server uses.
 */
function lacksToolsOnly() {
  const wanted = readPackages('package-lock.json') ?? {}
  const present = readPackages('node_modules/.package-lock.json')
  if (!present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (entry.dev || entry.devOptional || isUnused(path)) return true
    const found = present[path]
    if (!found) return !isRequired(entry)
    return !isOther(found, entry) && fits(found) && existsSync(join(root, path))
  })
}

function isOther(found, wanted) {
  if (found.version !== wanted.version) return true
  return Boolean(found.integrity && wanted.integrity && found.integrity !== wanted.integrity)
}

function readPackages(path) {
  try {
    const { '': _project, ...packages } = JSON.parse(readFileSync(join(root, path), 'utf8')).packages
    return packages
  } catch (error) {
    if (error.code === 'ENOENT' || path !== 'package-lock.json') return null
    throw error
  }
}

function fits({ os, cpu }) {
  return allows(os, process.platform) && allows(cpu, process.arch)
}

function allows(list, value) {
  if (!list) return true
  const names = [list].flat()
  if (names.includes(`!${value}`)) return false
  return names.includes(value) || names.includes('any') || names.every((name) => name.startsWith('!'))
}

async function install() {
  // Keeps npm from running on the bundled Node.js, because npm cannot replace a Node.js that is in use.
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
    .join(delimiter)
  const adds = needsTools && lacksToolsOnly()
  const isLean = !needsTools && (process.env.NODE_ENV === 'production' || !hasTools())
  // Hides npm's warnings, such as those about the host's Node version, but not npm's errors.
  const args = [adds ? 'install' : 'ci', ...(adds ? ['--no-save'] : []), '--prefer-offline']
  args.push('--no-audit', '--no-fund', '--loglevel=error', isLean ? '--omit=dev' : '--include=dev')
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const isDirect = npm?.endsWith('npm-cli.js') && node && !node.includes(`${sep}node_modules${sep}node-`)
  const windows = process.platform === 'win32'
  // Handles signals before npm starts, because a signal in between would stop only this process.
  let interrupted
  let child
  const pass = (signal) => {
    interrupted = signal
    child?.kill(signal)
  }
  for (const signal of ENDING) process.on(signal, pass)
  child = spawn(isDirect ? node : 'npm', isDirect ? [npm, ...args] : args, {
    cwd: root,
    env: { ...process.env, PATH: path, KITH_INSTALLING: '1' },
    // Sends npm's output to standard error. Standard output belongs to the command that follows.
    stdio: ['ignore', 2, 2],
    shell: windows && !isDirect,
  })
  const outcome = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('close', (status, signal) => resolve({ status, signal }))
  })
  for (const signal of ENDING) process.off(signal, pass)
  const isWhole = !outcome.error && outcome.status === 0
  if (!adds && !isWhole && !existsSync(join(modules, '.package-lock.json')))
    rmSync(modules, { recursive: true, force: true })
  if (isWhole) removeUnused(isLean)
  return { ...outcome, interrupted }
}

/** Removes the headers of the bundled Node (98 MB) and, in a lean install, also the TypeScript compiler. */
function removeUnused(isLean) {
  const headers = (existsSync(modules) ? readdirSync(modules) : [])
    .filter((name) => /^node-(bin-)?(linux|darwin|win)-/.test(name))
    .map((name) => join(name, 'include'))
  for (const name of isLean ? [...headers, ...unused] : headers)
    rmSync(join(modules, name), { recursive: true, force: true })
}

async function installIfStillNeeded() {
  const reason = findReason()
  if (!reason) return
  console.error(`kith: installing dependencies (${reason})`)
  const { status, signal, error, interrupted } = await install()
  if (interrupted) console.error('kith: the install was interrupted; the next start begins it anew')
  else if (error) console.error(`kith: npm could not be run: ${error.message}. Run \`npm ci\` by hand.`)
  else if (status !== 0) {
    console.error(`kith: npm ci failed (${signal ?? `exit code ${status}`}); what it said is above`)
  }
  process.exitCode = interrupted ? 130 : error ? 1 : (status ?? 1)
}

function checkCarriedNode() {
  const node = join(kith, 'node_modules', '.bin', 'node')
  if (process.platform !== 'linux' || !existsSync(node)) return
  const { status, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const [, library] = /shared libraries: (\S+):/.exec(stderr ?? '') ?? []
  if (status === 0 || !library) return
  const name =
    library === 'libatomic.so.1' ? 'libatomic1 (Debian, Ubuntu) or libatomic (Fedora, Alpine)' : library
  console.error(
    `kith: its Node.js needs ${library}, which this system does not have: install the package ${name}.`,
  )
  process.exitCode = 1
}

if (!process.env.KITH_INSTALLING && !isStamped()) {
  if (findReason()) await withLock(root, installIfStillNeeded)
  if (!process.exitCode) checkCarriedNode()
  if (!process.exitCode) writeStamp()
}

const hasOwnNode = ['node', 'node.cmd'].some((name) => existsSync(join(kith, 'node_modules', '.bin', name)))
// Checks the version of Node.js only for Kith. Other packages, such as sdk/, run on the system's Node.js.
if (
  !process.exitCode &&
  root === kith &&
  !hasOwnNode &&
  Number.parseInt(process.versions.node, 10) < oldestNode
) {
  console.error(
    `kith: this is Node.js ${process.versions.node}; Kith needs ${oldestNode} or later and normally brings its own, ` +
      'as an optional dependency that is not installed. Run `npm ci --include=optional`, or install a newer Node.js.',
  )
  process.exitCode = 1
}

if (!process.exitCode && root === kith && isStart && !process.env.KITH_INSTALLING) await buildForStart()
