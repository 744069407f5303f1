import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findDatabaseProcesses } from '#platform/database'
import { findFreePort, waitForAnswer } from '#test/servers.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'kith-stop-'))
await chmod(folder, 0o755)
const dataDir = join(folder, 'data')
const port = await findFreePort()
const address = `http://127.0.0.1:${port}`
const started = new Set<ChildProcess>()

afterEach(async () => {
  for (const child of started) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

after(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function startServer(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      FOUNDER_PASSWORD: 'founder password',
      RATE_LIMIT_ANONYMOUS: '0',
      RATE_LIMIT_USER: '0',
      ...env,
    },
  })
  started.add(child)
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const ended = new Promise<number | null>((resolve) =>
    child.once('exit', (code) => {
      started.delete(child)
      resolve(code)
    }),
  )
  await waitForAnswer(`${address}/health/ready`)
  return { child, ended, output: () => output }
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${address}/api/v2/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ login: 'root', password: 'founder password' }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}

let mark = Date.now()
const nextMark = () => {
  mark += 1
  return mark
}

type Outcome = { status: number; close: boolean } | { code: string }

async function sendUntilClosed(token: string, outcomes: Outcome[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let goesOn = true; goesOn; ) {
    const outcome = await new Promise<Outcome>((resolve) => {
      const body = JSON.stringify({
        feed_content: 'under load',
        feed_from: 5,
        feed_mark: nextMark(),
      })
      const sent = request(
        `${address}/api/v2/feeds`,
        {
          agent,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        },
        (answer) => {
          answer.resume()
          answer.once('end', () =>
            resolve({ status: answer.statusCode ?? 0, close: answer.headers.connection === 'close' }),
          )
          answer.once('error', (error: NodeJS.ErrnoException) =>
            resolve({ code: error.code ?? error.message }),
          )
        },
      )
      sent.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? error.message }))
      sent.end(body)
    })
    outcomes.push(outcome)
    goesOn = 'status' in outcome && !outcome.close
  }
  agent.destroy()
}

const feedCount = async (token: string) => {
  const answer = await fetch(`${address}/api/v2/user`, { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { extra: { feeds_count: number } }).extra.feeds_count
}

test('completes every accepted request during a stop', async () => {
  const server = await startServer()
  const token = await signIn()
  const before = await feedCount(token)
  const outcomes: Outcome[] = []
  const senders = Array.from({ length: 12 }, () => sendUntilClosed(token, outcomes))
  while (outcomes.length < 50) await new Promise((resolve) => setTimeout(resolve, 5))
  server.child.kill('SIGTERM')
  await Promise.all(senders)
  assert.equal(await server.ended, 0)
  const broken = outcomes.filter((outcome) => !('status' in outcome))
  assert.deepEqual(broken, [], 'a connection that was in use was cut')
  const created = outcomes.filter((outcome) => 'status' in outcome && outcome.status === 201).length
  assert.ok(created >= 12)
  const next = await startServer()
  assert.equal(await feedCount(token), before + created)
  next.child.kill('SIGTERM')
  assert.equal(await next.ended, 0)
})

test('stops despite unfinished requests', async () => {
  const server = await startServer()
  const half = connect(port, '127.0.0.1')
  await once(half, 'connect')
  half.write('POST /api/v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: appl')
  const halfBody = connect(port, '127.0.0.1')
  await once(halfBody, 'connect')
  halfBody.write(
    'POST /api/v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"lo',
  )
  for (const socket of [half, halfBody]) socket.on('error', () => {}).resume()
  // The server reads connections in order, so two responses prove that it has read both unfinished requests.
  for (let times = 0; times < 2; times += 1) await (await fetch(`${address}/health/ready`)).text()
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
  assert.match(server.output(), /the embedded database has stopped/)
  assert.deepEqual(findDatabaseProcesses(join(dataDir, 'postgres', 'cluster')), [])
})

test('reports not ready before the server stops', async () => {
  const server = await startServer()
  const agent = new Agent({ keepAlive: true })
  const get = () =>
    new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
      const sent = request(`${address}/health/ready`, { agent }, (answer) => {
        answer.resume()
        answer.once('end', () =>
          resolve({ status: answer.statusCode ?? 0, connection: answer.headers.connection }),
        )
      })
      sent.once('error', reject)
      sent.end()
    })
  assert.deepEqual(await get(), { status: 200, connection: 'keep-alive' })
  server.child.kill('SIGTERM')
  let last = await get()
  while (last.status === 200) last = await get()
  assert.deepEqual(last, { status: 503, connection: 'close' })
  agent.destroy()
  assert.equal(await server.ended, 0)
})

for (const processes of ['1', '2'])
  test(`stops on SIGHUP with PROCESSES=${processes}`, async () => {
    const server = await startServer({ PROCESSES: processes })
    server.child.kill('SIGHUP')
    assert.equal(await server.ended, 0)
    assert.match(server.output(), /the embedded database has stopped/)
  })
