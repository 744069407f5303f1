import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { killAll, startServer } from '#test/fixtures/sites.ts'
import { findFreePort } from '#test/servers.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-processes-'))
await chmod(folder, 0o755)
const metricsPort = await findFreePort()
const LIMIT = 100

let server: ReturnType<typeof startServer>
let address = ''
let output = ''
let tokens: string[] = []

before(async () => {
  server = startServer(join(folder, 'data'), {
    PROCESSES: '2',
    CONSOLE: 'on',
    METRICS_PORT: String(metricsPort),
    RATE_LIMIT_ANONYMOUS: String(LIMIT),
  })
  server.child.stdout.on('data', (chunk) => {
    output += chunk
  })
  address = await server.address
  await until(async () => (await metric('server_processes')) === 2)
  tokens = [await signIn(), await signIn()]
})
after(async () => {
  killAll()
  await rm(folder, { recursive: true, force: true })
})

const until = async (isSo: () => Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function metric(name: string): Promise<number> {
  const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? Number.NaN)
}

type Reply = { status: number; process: string; connection: string | undefined; text: string }

function send(
  path: string,
  {
    agent,
    token,
    method = 'GET',
    body,
  }: { agent?: Agent; token?: string; method?: string; body?: object } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    }
    const sent = request(`${address}${path}`, { agent: agent ?? false, method, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.once('error', reject)
      answer.once('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          process: String(answer.headers['x-request-id']).slice(0, 12),
          connection: answer.headers.connection,
          text,
        }),
      )
    })
    sent.once('error', reject)
    sent.end(body ? JSON.stringify(body) : undefined)
  })
}

/** Time of the last sign-in. Sign-ins count towards the rate limit of the same minute. */
let signedInAt = 0
const isSameMinute = () => Math.floor(signedInAt / 60_000) === Math.floor(Date.now() / 60_000)

const signIn = async () => {
  signedInAt = Date.now()
  const body = { login: 'root', password: 'founder password' }
  return JSON.parse((await send('/api/v2/auth/login', { method: 'POST', body })).text).access_token as string
}

test('enforces one rate limit across several processes', async () => {
  // Waits for a new minute, because a rate window ends at the full minute.
  const intoMinute = Date.now() % 60_000
  if (intoMinute > 5_000) await new Promise((resolve) => setTimeout(resolve, 60_100 - intoMinute))
  const replies: Reply[] = []
  for (let round = 0; round < 15; round += 1)
    replies.push(...(await Promise.all(Array.from({ length: 10 }, () => send('/api/v2/bootstrappers')))))
  const refused = replies.filter(({ status }) => status === 429).length
  assert.equal(new Set(replies.map(({ process }) => process)).size, 2)
  assert.equal(replies.length - refused, LIMIT - (isSameMinute() ? tokens.length : 0))
})

test('serves the console from every process', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => send('/admin')))
  assert.ok(new Set(answers.map(({ process }) => process)).size > 1)
  const told = answers.map(({ status, text }) => [status, text.replaceAll(/nonce="[^"]*"/g, '')].join(' '))
  assert.equal(new Set(told.map((each) => each.slice(0, 200))).size, 1, told.join('\n'))
  // The server returns 503 when the console is not built.
  assert.ok([200, 503].includes(answers[0]?.status ?? 0))
})

test('revokes a session in all processes', async () => {
  const [token = ''] = tokens
  const processes = new Set<string>()
  while (processes.size < 2) {
    const reply = await send('/api/v2/user', { token })
    assert.equal(reply.status, 200)
    processes.add(reply.process)
  }
  assert.equal((await send('/api/v2/auth/logout', { token, method: 'POST' })).status, 200)
  const refusing = new Set<string>()
  await until(async () => {
    const reply = await send('/api/v2/user', { token })
    if (reply.status === 401) refusing.add(reply.process)
    return refusing.size === 2
  })
})

test('replaces a killed process', async () => {
  const count = () =>
    metric('http_request_duration_seconds_count{method="GET",route="/api/v2/user",status="200"}')
  const counted = await count()
  assert.ok(counted > 0)
  const restarts = await metric('server_process_restarts_total')
  const pid = childOf(server.child.pid ?? 0)
  process.kill(pid, 'SIGKILL')
  await until(async () => (await metric('server_process_restarts_total')) > restarts)
  await until(async () => (await metric('server_processes')) === 2)
  assert.equal(await count(), counted)
  assert.equal((await send('/health/ready')).status, 200)
})

test('replaces a frozen process within seconds', async () => {
  const restarts = await metric('server_process_restarts_total')
  process.kill(childOf(server.child.pid ?? 0), 'SIGSTOP')
  await until(async () => (await metric('server_process_restarts_total')) > restarts)
  await until(async () => (await metric('server_processes')) === 2)
  assert.match(output, /a process does not answer and is replaced/)
  const answers = await Promise.all(Array.from({ length: 8 }, () => send('/health/ready')))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
})

test('stops all processes and the database on SIGTERM', async () => {
  const ended = new Promise<number | null>((resolve) => server.child.once('exit', resolve))
  server.child.kill('SIGTERM')
  assert.equal(await ended, 0)
  assert.match(output, /the embedded database has stopped/)
})

function childOf(parent: number): number {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], {
    encoding: 'utf8',
  }).split('\n')
  return Number.parseInt(lines.find((line) => line.includes('main.ts')) ?? '', 10)
}
