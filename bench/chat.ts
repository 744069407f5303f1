/**
 * `npm run dev -- bench:chat` measures message rate and delivery delay in conversations of 2, 50 and 500 connected
 * members. A bare fan-out server that stores nothing is the baseline.
 */
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findFreePort, waitForAnswer } from '#test/servers.ts'
import { createWorld } from '#test/world.ts'
import { childrenOf, processorTime } from './measure.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SECONDS = 8
const SENDERS = 8
const { as, person, connection, ctx } = await createWorld()

async function startKith() {
  const port = await findFreePort()
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      PROCESSES: '1',
      WEB: 'off',
      DATA_DIR: ctx.config.dataDir,
      DATABASE_URL: `postgres:///${connection.database}`,
      PGHOST: connection.host,
      PGPORT: String(connection.port),
      PGUSER: connection.user,
      WORKER: 'separate',
      RATE_LIMIT_USER: '0',
    },
  })
  after(() => child.kill('SIGKILL'))
  await waitForAnswer(`http://127.0.0.1:${port}/health/ready`, child)
  return { port, pids: [child.pid ?? 0, ...childrenOf(child.pid ?? 0)] }
}

async function startBare() {
  const port = await findFreePort()
  const child = fork(fileURLToPath(new URL('chat-fanout.ts', import.meta.url)), {
    env: { ...process.env, PORT: String(port) },
  })
  after(() => child.kill('SIGKILL'))
  await once(child, 'message')
  return { port, pids: [child.pid ?? 0] }
}

type Target = { port: number; pids: number[]; stream: string; post: string }

async function drive({ port, pids, stream, post }: Target, tokens: string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 })
  const delays: number[] = []
  const open: IncomingMessage[] = []
  const request = (path: string, token: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get({ port, path, agent, headers: { authorization: `Bearer ${token}` } }, resolve).once('error', reject)
    })
  for (const token of tokens) {
    const response = await request(stream, token)
    assert.equal(response.statusCode, 200)
    response.setEncoding('utf8')
    response.on('error', () => {})
    response.on('data', (text: string) => {
      const now = performance.now()
      for (const [, stamp] of text.matchAll(/"body":"t([\d.]+)"/g)) delays.push(now - Number(stamp))
    })
    open.push(response)
  }
  await pause(500)
  delays.length = 0
  const before = processorTime(pids)
  const end = performance.now() + SECONDS * 1000
  let sent = 0
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, index) => {
      const token = tokens[index % tokens.length] ?? ''
      while (performance.now() < end) {
        const answer = await fetch(`http://127.0.0.1:${port}${post}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ body: `t${performance.now()}` }),
        })
        assert.equal(answer.status, 201)
        await answer.arrayBuffer()
        sent += 1
      }
    }),
  )
  for (let waited = 0; delays.length < sent * tokens.length && waited < 10_000; waited += 50) await pause(50)
  const used = processorTime(pids) - before
  for (const response of open) response.destroy()
  agent.destroy()
  const sorted = delays.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 10) / 10
  return {
    perSecond: Math.round(sent / SECONDS),
    delivered: `${delays.length}/${sent * tokens.length}`,
    p50: at(0.5),
    p99: at(0.99),
    cpu: Math.round((used / sent) * 100) / 100,
  }
}

test('measures the rate and delivery delay of messages', { timeout: 600_000 }, async () => {
  const [kith, bare] = [await startKith(), await startBare()]
  const people = await Promise.all(Array.from({ length: 500 }, () => person()))
  for (const size of [2, 50, 500]) {
    const members = people.slice(0, size)
    const tokens = members.map(({ token }) => token)
    const [owner] = members
    assert.ok(owner)
    let chat: number
    if (size === 2) chat = (await as(owner, 'PUT', `/chats/people/${members[1]?.id}`)).body.id
    else {
      const made = await as(owner, 'POST', '/im/group', {
        groupname: 'Bench',
        desc: 'Bench',
        maxusers: 500,
        members: members.slice(1).map(({ id }) => id),
      })
      chat = (await as(owner, 'PUT', `/chats/groups/${made.body.im_group_id}`)).body.id
    }
    const target = {
      stream: '/api/v2/user/notifications/stream?chats=1',
      post: `/api/v2/chats/${chat}/messages`,
    }
    const ours = await drive({ ...kith, ...target }, tokens)
    const theirs = await drive({ ...bare, stream: '/', post: '/' }, tokens)
    for (const [name, result] of Object.entries({ kith: ours, bare: theirs }))
      console.log(
        `${size} members, ${name}: ${result.perSecond} messages/s, delivered ${result.delivered}, p50 ${result.p50} ms, p99 ${result.p99} ms, ${Math.round(result.cpu)} µs of processor time a message`,
      )
  }
})
