#!/usr/bin/env node
// Plain JavaScript for whatever Node the host has: finds the Node that the project carries and runs the real
// command line with it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The first that runs TypeScript as it is. */
const oldest = [23, 6]

function findNode() {
  const packages = ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64', 'win-x64']
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const name = packages.find((entry) => entry.replace('bin-', '') === `${platform}-${process.arch}`)
  const program = process.platform === 'win32' ? 'node.exe' : 'node'
  const carried = fileURLToPath(new URL(`../node_modules/node-${name}/bin/${program}`, import.meta.url))
  if (existsSync(carried)) return carried
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return process.execPath
  return null
}

const node = findNode()
if (!node) {
  console.error(
    `kith: this is Node.js ${process.versions.node}, which is too old, and the Node.js that the project carries is ` +
      'not installed. Run `npm ci --include=optional` in the project folder, or install Node.js 24 or later.',
  )
  process.exit(1)
}

const main = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' })

// The terminal gives Ctrl-C and the like to the whole group: passing them on would deliver them twice.
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
