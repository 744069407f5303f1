import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findDatabaseProcesses } from '#platform/database'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
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
  ended: Promise<number | null>
}

function start(command: string, args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, ...env },
  })
  started.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      started.delete(child)
      resolve(code)
    }),
  )
  return { child, output: () => output, ended }
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

test('completes a request that arrived before SIGTERM', async () => {
  const server = startServer()
  await waitForAnswer(`${address}/health/ready`)
  const body = JSON.stringify({ login: 'nobody', password: 'nothing at all' })
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const slow = request(
      `${address}/api/v2/auth/login`,
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': body.length } },
      (answer) => resolve(answer.statusCode),
    )
    slow.once('error', reject)
    slow.write(body.slice(0, 5))
    setTimeout(() => server.child.kill('SIGTERM'), 300)
    setTimeout(() => slow.end(body.slice(5)), 900)
  })
  assert.equal(status, 422)
  assert.equal(await server.ended, 0)
})

test('keeps the founder account after kill -9', async () => {
  const killed = startServer()
  await waitForAnswer(`${address}/health/ready`)
  killed.child.kill('SIGKILL')
  await killed.ended
  const server = startServer()
  await waitForAnswer(`${address}/health/ready`)
  assert.equal(await signIn(), 200)
  const second = startServer({ PORT: String(await findFreePort()) })
  assert.notEqual(await second.ended, 0)
  assert.equal(await signIn(), 200)
  server.child.kill('SIGINT')
  assert.equal(await server.ended, 0)
  assert.deepEqual(databaseProcesses(), [])
})

test('stops the server when npm start receives a signal', async () => {
  const server = start('npm', ['start'])
  await waitForAnswer(`${address}/health/ready`)
  server.child.kill('SIGTERM')
  await server.ended
  for (let attempt = 0; attempt < 100 && databaseProcesses().length > 0; attempt += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  assert.deepEqual(databaseProcesses(), [])
})

test('stops without a failure in the log when Ctrl-C interrupts a migration', async () => {
  const { ctx, connection, sql } = await createWorld()
  const session = await sql.reserve()
  await session`select pg_advisory_lock(4127005)`
  const server = startServer({
    DATABASE_URL: `postgres:///${connection.database}`,
    PGHOST: connection.host,
    PGPORT: String(connection.port),
    PGUSER: connection.user,
    DATA_DIR: ctx.config.dataDir,
    PORT: '0',
  })
  for (let isWaiting = false; !isWaiting; await new Promise((resolve) => setTimeout(resolve, 50)))
    [{ isWaiting }] = await sql<[{ isWaiting: boolean }]>`
      select exists (select from pg_locks where locktype = 'advisory' and objid = 4127005 and not granted) as "isWaiting"`
  server.child.kill('SIGINT')
  await server.ended
  await session`select pg_advisory_unlock(4127005)`
  session.release()
  assert.match(server.output(), /"msg":"stopped"/)
  assert.doesNotMatch(server.output(), /"level":"(fatal|error)"/)
})
