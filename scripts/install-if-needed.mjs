// Runs before `npm start`, `npm test` and the like, on whatever Node the host has: plain JavaScript for Node 20,
// no dependencies. Installs the dependencies unless those of package-lock.json are there already.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const oldestNode = 24
// A production image may well have been installed without the development tools.
const needsTools = process.env.npm_lifecycle_event !== 'prestart'
const stamp = join(root, 'node_modules', '.kith-install')

/** Stands for what the last look compared, so that it need not be compared again. */
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
  } catch {
    // node_modules may be read-only; the next look then compares again.
  }
}

/** Says why an install is due; null when everything is in place. */
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
    if (!existsSync(join(root, path))) return `${path} is missing`
  }
  return null
}

function isRequired({ optional, devOptional, peer, link, dev }) {
  if (optional || devOptional || peer || link) return false
  return needsTools || !dev
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

function install() {
  // The programs of node_modules, among them the Node we carry, must not be in use while npm replaces them.
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
    .join(delimiter)
  // npm warns of what does not suit the host's Node, which runs none of it; what it fails at is still told.
  const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  if (needsTools) args.push('--include=dev')
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const isDirect = npm?.endsWith('npm-cli.js') && node && !node.includes(`${sep}node_modules${sep}node-`)
  const windows = process.platform === 'win32'
  return spawnSync(isDirect ? node : 'npm', isDirect ? [npm, ...args] : args, {
    cwd: root,
    env: { ...process.env, PATH: path, KITH_INSTALLING: '1' },
    // Standard output belongs to the command that follows.
    stdio: ['ignore', 2, 2],
    shell: windows && !isDirect,
  })
}

/** Two commands at once must not both replace node_modules: the second waits for the first. */
function withLock(work) {
  const lock = join(root, '.installing')
  const draft = `${lock}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    for (;;) {
      try {
        linkSync(draft, lock)
        break
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
      if (isStale(lock)) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
    try {
      return work()
    } finally {
      rmSync(lock, { force: true })
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

function isStale(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function installIfStillNeeded() {
  const reason = findReason()
  if (!reason) return
  console.error(`kith: installing dependencies (${reason})`)
  const { status, signal, error } = install()
  if (error) console.error(`kith: npm could not be run: ${error.message}. Run \`npm ci\` by hand.`)
  else if (status !== 0) {
    console.error(`kith: npm ci failed (${signal ?? `exit code ${status}`}); what it said is above`)
  }
  process.exitCode = error ? 1 : (status ?? 1)
}

if (!process.env.KITH_INSTALLING && !isStamped()) {
  if (findReason()) withLock(installIfStillNeeded)
  if (!process.exitCode) writeStamp()
}

const carried = ['node', 'node.cmd'].some((name) => existsSync(join(root, 'node_modules', '.bin', name)))
if (!process.exitCode && !carried && Number.parseInt(process.versions.node, 10) < oldestNode) {
  console.error(
    `kith: this is Node.js ${process.versions.node}; Kith needs ${oldestNode} or later and normally brings its own, ` +
      'as an optional dependency that is not installed. Run `npm ci --include=optional`, or install a newer Node.js.',
  )
  process.exitCode = 1
}
