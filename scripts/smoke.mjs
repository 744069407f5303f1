// Starts Kith with `npm start` and an empty data folder, and sends one request. Runs before dependencies are
// installed, so it is plain JavaScript for the host's Node.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PATIENCE_MS = 300_000
const dataDir = mkdtempSync(join(tmpdir(), 'kith-smoke-'))
const port = await findFreePort()
const server = spawn('npm', ['start'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, DATA_DIR: dataDir, PORT: String(port), CONSOLE: 'off', WEB: 'off' },
})
const ended = once(server, 'exit')
let status = 1
try {
  await waitUntilReady()
  const reply = await fetch(`http://127.0.0.1:${port}/api/v2/bootstrappers`)
  if (!reply.ok) throw new Error(`/api/v2/bootstrappers answered ${reply.status}`)
  console.log(
    `smoke: started on ${process.platform} ${process.arch}, ${Object.keys(await reply.json()).length} settings`,
  )
  status = 0
} catch (error) {
  console.error(`smoke: ${error.message}`)
} finally {
  server.kill('SIGTERM')
  await ended
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
}
process.exit(status)

async function waitUntilReady() {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(500)) {
    if (server.exitCode !== null) throw new Error(`npm start ended with ${server.exitCode}`)
    const reply = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
    if (reply?.ok) return
  }
  throw new Error('npm start was not ready in five minutes')
}

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const found = probe.address().port
  probe.close()
  return found
}
