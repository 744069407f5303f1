// Finds the Node.js that Kith carries as an optional dependency. Plain JavaScript for Node 20, because it runs on the
// host's Node.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/** First version of Node.js that runs TypeScript without flags. */
const OLDEST = [23, 6]

/** Returns the carried Node.js, or undefined if it is not installed. */
export function findCarriedNode() {
  const isWindows = process.platform === 'win32'
  const kind = `${isWindows ? 'win' : process.platform}-${process.arch}`
  return [`node-${kind}`, `node-bin-${kind}`]
    .map((name) => join(root, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node'))
    .find((path) => existsSync(path))
}

/** Returns a Node.js that runs Kith. Otherwise prints what to install and exits. */
export function requireNode() {
  const carried = findCarriedNode()
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isRecent = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  const fault = carried ? lackOf(carried) : isRecent ? undefined : TOO_OLD
  if (!fault) return carried ?? process.execPath
  console.error(`kith: ${fault}`)
  process.exit(1)
}

const TOO_OLD =
  `this is Node.js ${process.versions.node}, which is too old, and the Node.js that the project carries is not ` +
  'installed. Run `npm ci --include=optional` in the project folder, or install Node.js 24 or later.'

/** Describes the system library that the carried Node.js needs and the system lacks. */
function lackOf(node) {
  if (process.platform !== 'linux') return undefined
  const { status, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const [, library] = /shared libraries: (\S+):/.exec(stderr ?? '') ?? []
  if (status === 0 || !library) return undefined
  const name =
    library === 'libatomic.so.1' ? 'libatomic1 (Debian, Ubuntu) or libatomic (Fedora, Alpine)' : library
  return `its Node.js needs ${library}, which this system does not have: install the package ${name}.`
}

/** Returns the environment without the carried Node.js in PATH, because npm cannot replace a Node.js that it runs on. */
export function hostEnvironment() {
  const path = (process.env.PATH ?? process.env.Path ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
  return { ...process.env, PATH: path.join(delimiter) }
}
