// Installs dependencies after a change of the lockfile, and builds web/ and console/ before a start. Runs on the host's
// Node, so it is plain JavaScript for Node 20 without dependencies.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root as kith, requireNode } from '../bin/carried-node.mjs'
import { buildForStart } from './build-packages.mjs'
import { npm } from './child.mjs'
import { withLock } from './lock.mjs'

const root = process.argv[2] ? resolve(process.argv[2]) : kith
const isStart = process.env.npm_lifecycle_event === 'prestart'
const installed = (...path) => join(root, 'node_modules', ...path)
const lockfile = join(root, 'package-lock.json')
const stamp = installed('.kith-install')
const hash = (text) => createHash('sha256').update(text).digest('hex')
const wanted = () => [hash(readFileSync(lockfile)), process.platform, process.arch]

function hasTools() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.keys(devDependencies).every((name) => existsSync(installed(name)))
}

/** Compares a hash, because an unpacked archive has files with older times. An install by hand leaves no hash. */
function isCurrent() {
  if (existsSync(stamp)) return wanted().every((part) => readFileSync(stamp, 'utf8').includes(part))
  const hidden = statSync(installed('.package-lock.json'), { throwIfNoEntry: false })
  return hidden !== undefined && hidden.mtimeMs >= statSync(lockfile).mtimeMs
}

const isReady = () => !existsSync(lockfile) || (isCurrent() && (isStart || hasTools()))

async function install() {
  if (isReady()) return
  // Adds missing tools without touching the packages that a running server uses.
  const adds = isCurrent()
  const isLean = isStart && (process.env.NODE_ENV === 'production' || !existsSync(installed('knip')))
  console.error(`kith: installing ${adds ? 'development tools' : 'dependencies'}`)
  const command = adds ? ['install', '--no-save'] : ['ci']
  try {
    await npm([...command, isLean ? '--omit=dev' : '--include=dev'], { cwd: root, isShown: true })
    // Removes the headers of the carried Node (98 MB), and the compiler if nothing needs it.
    mkdirSync(installed(), { recursive: true })
    const nodes = readdirSync(installed()).filter((name) => /^node-(bin-)?\w+-\w+$/.test(name))
    const unused = isLean ? ['typescript', '@typescript'] : []
    for (const name of [...nodes.map((each) => join(each, 'include')), ...unused])
      rmSync(installed(name), { recursive: true, force: true })
    writeFileSync(stamp, wanted().join(' '))
  } catch ({ code, message }) {
    if (!existsSync(installed('.package-lock.json'))) rmSync(installed(), { recursive: true, force: true })
    const advice = code === 130 ? 'The next start installs again.' : 'Run `npm ci` by hand.'
    console.error(`kith: npm ${command[0]} failed (${message}). ${advice}`)
    process.exitCode = Number(code) || 1
  }
}

if (!isReady()) await withLock(root, install)
if (process.exitCode || root !== kith) process.exit()
requireNode()
if (isStart) await buildForStart()
