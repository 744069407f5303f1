// Runs a program on the carried Node.js, after installing missing dependencies. A shell script would cache
// the path of the host's Node and use that version after the install too.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { requireNode } from '../bin/carried-node.mjs'

const installer = fileURLToPath(new URL('prepare.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [installer], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

const child = spawn(requireNode(), process.argv.slice(2), { stdio: 'inherit' })
// A terminal sends these signals to the child process too, so passing them on would send them twice.
const fromTerminal = process.stdin.isTTY ? ['SIGINT', 'SIGHUP'] : []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (!fromTerminal.includes(signal)) child.kill(signal)
  })
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
