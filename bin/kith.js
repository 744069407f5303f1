#!/usr/bin/env node
// Runs the command line on the bundled Node, or on the host's Node if no Node is bundled and the host's can run
// TypeScript. Installs missing dependencies first, as in a fresh clone. `kith start` prepares the start as `npm start`
// does. Runs on the host's Node, so it is plain JavaScript for Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** First version of Node that runs TypeScript without flags. */
const oldest = [23, 6]

const folderOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

function findNode() {
  const packages = ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64', 'win-x64']
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = packages.find((entry) => entry.replace('bin-', '') === `${platform}-${process.arch}`)
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const carried = folderOf(`node_modules/node-${name}/bin/${program}`)
  if (existsSync(carried)) return carried
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return process.execPath
  return null
}

const isStart = process.argv[2] === 'start'
if (
  (isStart || !existsSync(folderOf('node_modules'))) &&
  existsSync(folderOf('scripts/install-if-needed.mjs'))
) {
  const { status } = spawnSync(process.execPath, [folderOf('scripts/install-if-needed.mjs')], {
    // Sends npm's output to standard error. Standard output belongs to the command that follows.
    stdio: ['inherit', 2, 2],
    // Installs what a server needs, without development tools.
    env: { ...process.env, npm_lifecycle_event: 'prestart' },
  })
  if (status !== 0) process.exit(status ?? 1)
}

const node = findNode()
if (!node) {
  console.error(
    `kith: this is Node.js ${process.versions.node}, which is too old, and the Node.js that the project carries is ` +
      'not installed. Run `npm ci --include=optional` in the project folder, or install Node.js 24 or later.',
  )
  process.exit(1)
}

const child = spawn(node, [folderOf('src/cli.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })

// A terminal sends these signals to the child process too, so passing them on would send them twice.
const fromTerminal = process.stdin.isTTY ? ['SIGINT', 'SIGQUIT', 'SIGHUP'] : []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']) {
  process.on(signal, () => {
    if (!fromTerminal.includes(signal)) child.kill(signal)
  })
}

child.on('error', (error) => {
  console.error(`kith: ${node} cannot be run: ${error.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (!signal) process.exit(code ?? 1)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
