/**
 * `npm run dev -- bench:idle` measures memory and processor time of a process with 10,000 open streams. Bare servers with
 * as many open responses or sockets are the baseline.
 */
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { issueToken } from '#modules/tokens/index.ts'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'
import { processorTime } from './measure.ts'
import { startProgram } from './servers.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONNECTIONS = 10_000
const AT_ONCE = 16
const SECONDS = 60
const { sql, connection, ctx } = await createWorld()

function memoryOf(pid: number): number {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

async function startKith() {
  const port = await findFreePort()
  const child = startProgram('src/main.ts', [], {
    cwd: ROOT,
    env: {
      PORT: String(port),
      PROCESSES: '1',
      WEB: 'off',
      CONSOLE: 'off',
      DATA_DIR: ctx.config.dataDir,
      DATABASE_URL: `postgres:///${connection.database}`,
      PGHOST: connection.host,
      PGPORT: String(connection.port),
      PGUSER: connection.user,
      WORKER: 'separate',
      RATE_LIMIT_USER: '0',
      RATE_LIMIT_ANONYMOUS: '0',
      RATE_LIMIT_PAGES: '0',
    },
  })
  after(() => child.kill('SIGKILL'))
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, child)
  return { port, pid: child.pid ?? 0 }
}

async function startBare() {
  const port = await findFreePort()
  const child = fork(fileURLToPath(new URL('chat-fanout.ts', import.meta.url)), {
    env: { ...process.env, PORT: String(port) },
  })
  after(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return { port, pid: child.pid ?? 0 }
}

type Close = () => void

const openStream =
  (agent: Agent, path: string) =>
  async (port: number, token: string): Promise<Close> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      get({ port, path, agent, headers }, resolve).once('error', reject)
    })
    if (response.statusCode === 503) {
      response.destroy()
      await pause(200)
      return openStream(agent, path)(port, token)
    }
    assert.equal(response.statusCode, 200)
    response.on('error', () => {})
    response.resume()
    return () => response.destroy()
  }

async function openSocket(port: number): Promise<Close> {
  const socket: Socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  await once(socket, 'data')
  socket.on('error', () => {})
  return () => socket.destroy()
}

async function measure(
  { port, pid }: { port: number; pid: number },
  tokens: string[],
  open: (port: number, token: string) => Promise<Close>,
) {
  const first = await open(port, tokens[0] ?? '')
  await pause(1000)
  const before = memoryOf(pid)
  const closes: Close[] = [first]
  const left = tokens.values()
  const opening = processorTime([pid])
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const token of left) closes.push(await open(port, token))
    }),
  )
  const opened = processorTime([pid]) - opening
  await pause(5000)
  const idle = processorTime([pid])
  await pause(SECONDS * 1000)
  const used = processorTime([pid]) - idle
  const memory = memoryOf(pid) - before
  for (const close of closes) close()
  return {
    kilobytesEach: Math.round((memory / tokens.length / 1024) * 10) / 10,
    megabytes: Math.round(memory / 2 ** 20),
    openingMicroseconds: Math.round(opened / tokens.length),
    idlePercent: Math.round((used / (SECONDS * 1e6)) * 1000) / 10,
  }
}

test('measures the memory and processor time of idle connections', { timeout: 280_000 }, async () => {
  const users = await sql<{ id: number }[]>`
    insert into users (name, name_key, name_grams)
    select 'idle' || n, 'idle' || n, '{}' from generate_series(1, ${CONNECTIONS}) n returning id`
  const tokens: string[] = []
  const left = users.values()
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      for (const { id } of left) tokens.push((await issueToken(sql, id)).access_token)
    }),
  )
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS + 10 })
  const stream = '/api/v2/user/notifications/stream'
  const targets = [
    ['kith, stream with chats', startKith, openStream(agent, `${stream}?chats=1`)],
    ['bare, stream', startBare, openStream(agent, '/')],
    ['bare, socket past HTTP', startBare, openSocket],
  ] as const
  for (const [name, start, open] of targets) {
    const { kilobytesEach, megabytes, openingMicroseconds, idlePercent } = await measure(
      await start(),
      tokens,
      open,
    )
    console.log(
      `${name}: ${megabytes} MB for ${tokens.length} connections, ${kilobytesEach} KB each; ${openingMicroseconds} µs of processor time to open one; ${idlePercent} % of a core while idle`,
    )
  }
})
