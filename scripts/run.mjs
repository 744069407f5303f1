// Runs a program of the repository on the bundled Node.js: `node scripts/run.mjs bench/site.ts --minutes=1`.
// Installs missing dependencies first. Plain JavaScript for the host's Node 20. A shell script would use the host's
// Node after the install too, because the shell remembers its path.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const installer = fileURLToPath(new URL('install-if-needed.mjs', import.meta.url))
const { status } = spawnSync(process.execPath, [installer], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)

// npm puts node_modules/.bin first in PATH.
const child = spawn('node', process.argv.slice(2), { stdio: 'inherit' })
// A terminal sends Ctrl-C and the like to the whole group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (!process.stdin.isTTY) child.kill(signal)
  })
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
