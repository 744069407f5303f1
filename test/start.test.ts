import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findDatabaseProcesses } from '#platform/database'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-start-'))
await chmod(folder, 0o755)
const dataDir = join(folder, 'data')
const port = await findFreePort()
const address = `http://127.0.0.1:${port}`
const started = new Set<ChildProcess>()

after(async () => {
  for (const child of started) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

type Running = {
  child: ChildProcess
  output: () => string
  /** Resolves when the process has printed the newcomer's guide, the last output of a start, or has exited. */
  hasPrinted: Promise<void>
  ended: Promise<number | null>
}

function start(command: string, args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, ...env },
  })
  started.add(child)
  let output = ''
  const { promise: hasPrinted, resolve: print } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
      if (output.includes('First request')) print()
    })
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      started.delete(child)
      print()
      resolve(code)
    }),
  )
  return { child, output: () => output, hasPrinted, ended }
}

const startServer = (env?: Record<string, string>) => start(process.execPath, ['src/main.ts'], env)
const databaseProcesses = () => findDatabaseProcesses(join(dataDir, 'postgres', 'cluster'))

async function signIn(): Promise<number> {
  const password = readFileSync(join(dataDir, 'founder-password'), 'utf8').trim()
  const answer = await fetch(`${address}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'root', password }),
  })
  return answer.status
}

test("prints the newcomer's guide on the first start", async () => {
  const server = startServer()
  await waitForAnswer(`${address}/health/ready`)
  assert.equal(await signIn(), 200)
  await server.hasPrinted
  assert.equal(statSync(join(dataDir, 'founder-password')).mode & 0o777, 0o600)
  for (const expected of [address, 'root', 'founder-password', '/docs', 'curl'])
    assert.ok(server.output().includes(expected), `the start did not print "${expected}"`)
  assert.ok(databaseProcesses().length > 0)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
  assert.deepEqual(databaseProcesses(), [])
})
