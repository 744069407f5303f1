#!/usr/bin/env node
// Runs the command line on the bundled Node, or on the host's Node if no Node is bundled and the host's can run
// TypeScript. Installs missing dependencies first, as in a fresh clone. `kith start` prepares the start as `npm start`
// does. Runs on the host's Node, so it is plain JavaScript for Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { requireNode, root } from './carried-node.mjs'

const folderOf = (path) => join(root, path)

const isStart = process.argv[2] === 'start'
if ((isStart || !existsSync(folderOf('node_modules'))) && existsSync(folderOf('scripts/prepare.mjs'))) {
  const { status } = spawnSync(process.execPath, [folderOf('scripts/prepare.mjs')], {
    // Sends npm's output to standard error. Standard output belongs to the command that follows.
    stdio: ['inherit', 2, 2],
    // Installs what a server needs, without development tools.
    env: { ...process.env, npm_lifecycle_event: 'prestart' },
  })
  if (status !== 0) process.exit(status ?? 1)
}

const node = requireNode()
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
