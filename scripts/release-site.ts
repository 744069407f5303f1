/**
 * Stores the backup of a small site for upgrade tests of later releases: `node scripts/release-site.ts FILE`.
 * Fills the site with the commands of docs/first-hour.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const PATIENCE_MS = 120_000

const [file] = process.argv.slice(2)
if (!file) {
  console.error('Say where the backup is to go.')
  process.exit(2)
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function waitForAnswer(url: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; ; await pause(250)) {
    const ready = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return
    if (Date.now() > until) throw new Error('The server does not answer.')
  }
}

async function run(command: string, args: string[], options: { cwd?: string; env: NodeJS.ProcessEnv }) {
  const [code] = (await once(spawn(command, args, { stdio: 'inherit', ...options }), 'exit')) as [
    number | null,
  ]
  if (code !== 0) throw new Error(`${command} ended with ${code}.`)
}

const folder = mkdtempSync(join(tmpdir(), 'kith-site-'))
chmodSync(folder, 0o755)
const port = await findFreePort()
const log = openSync(join(folder, 'kith.log'), 'w')
const env = { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data'), CONSOLE: 'off', WEB: 'off' }
const server = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', log, log] })
const stopped = once(server, 'exit')
try {
  const address = `http://127.0.0.1:${port}`
  await waitForAnswer(`${address}/health/ready`)
  const hour = readFileSync('docs/first-hour.md', 'utf8')
  const blocks = [...hour.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
  await run('bash', ['-eu', '-o', 'pipefail', '-c', blocks.join('\n')], {
    cwd: folder,
    env: { ...env, KITH: address },
  })
  await run(process.execPath, ['src/cli.ts', 'backup', resolve(file)], { env })
} finally {
  server.kill('SIGTERM')
  await stopped
  rmSync(folder, { recursive: true, force: true })
}
