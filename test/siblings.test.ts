import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { killAll, startServer } from '#test/fixtures/sites.ts'
import { findFreePort } from '#test/servers.ts'

/** More would not fit into what a person may ask for in a minute. */
const ROUNDS = 40

const folder = await mkdtemp(join(tmpdir(), 'kith-siblings-'))
const metricsPort = await findFreePort()
await chmod(folder, 0o755)
let server: ReturnType<typeof startServer>
let address = ''
let token = ''
/** A connection to each of the two processes. */
let connections: [Agent, Agent]
const agents: Agent[] = []

before(async () => {
  server = startServer(join(folder, 'data'), {
    PROCESSES: '2',
    RATE_LIMIT_ANONYMOUS: '1000',
    METRICS_PORT: String(metricsPort),
    KEPT_PAGES_TIMED_MS: '60000',
  })
  address = await server.address
  token = await signIn()
  const known = new Map<string, Agent>()
  while (known.size < 2) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agents.push(agent)
    known.set((await send(agent, '/health/ready')).process, agent)
    if (known.size < 2) await new Promise((resolve) => setTimeout(resolve, 100))
  }
  connections = [...known.values()] as [Agent, Agent]
})
after(async () => {
  for (const agent of agents) agent.destroy()
  const ended = once(server.child, 'exit')
  server.child.kill('SIGTERM')
  await ended
  killAll()
  await rm(folder, { recursive: true, force: true })
})

type Asked = { method?: string; token?: string; body?: object }

async function send(agent: Agent | undefined, path: string, { method = 'GET', token, body }: Asked = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    process: string
    json: unknown
  }>()
  const headers = {
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
  }
  const sent = request(`${address}${path}`, { agent: agent ?? false, method, headers }, (answer) => {
    answer.setEncoding('utf8')
    let text = ''
    answer.on('data', (chunk: string) => {
      text += chunk
    })
    answer.once('error', reject)
    answer.once('end', () =>
      resolve({
        status: answer.statusCode ?? 0,
        process: String(answer.headers['x-request-id']).slice(0, 12),
        json: text === '' ? null : JSON.parse(text),
      }),
    )
  })
  sent.once('error', reject)
  sent.end(body ? JSON.stringify(body) : undefined)
  return promise
}

async function signIn() {
  const { json } = await send(undefined, '/api/v2/auth/login', {
    method: 'POST',
    body: { login: 'root', password: 'founder password' },
  })
  return (json as { access_token: string }).access_token
}

const postFeed = async (agent: Agent, n: number) => {
  const { status, json } = await send(agent, '/api/v2/feeds', {
    method: 'POST',
    token,
    body: { feed_content: `number ${n}`, feed_from: 1, feed_mark: Date.now() * 1000 + n },
  })
  assert.equal(status, 201)
  return (json as { id: number }).id
}

test('what one process has answered to be written, every process of the node shows from then on', async () => {
  const newest = async (agent: Agent, as?: string) => {
    const { json } = await send(agent, '/api/v2/feeds?type=new&limit=1', as ? { token: as } : {})
    return (json as { feeds: { id: number }[] }).feeds[0]?.id
  }
  for (let n = 0; n < ROUNDS; n += 1) {
    const [one, other] = n % 2 === 0 ? connections : connections.toReversed()
    const id = await postFeed(one as Agent, n)
    assert.equal(await newest(other as Agent), id)
    assert.equal(await newest(other as Agent, token), id)
  }
})

test('a setting that one process has changed holds in every process from then on', async () => {
  for (let n = 0; n < 10; n += 1) {
    const [one, other] = n % 2 === 0 ? connections : connections.toReversed()
    const amount = 20 + n
    const changed = await send(one as Agent, '/api/v2/admin/settings', {
      method: 'PATCH',
      token,
      body: { 'checkin:balance': amount },
    })
    assert.ok(changed.status < 300, JSON.stringify(changed.json))
    const { json } = await send(other as Agent, '/api/v2/bootstrappers')
    assert.equal((json as { checkin: { balance: number } }).checkin.balance, amount)
  }
})

test('a sign-in that one process has ended is unknown to every process from then on', async () => {
  for (let n = 0; n < 5; n += 1) {
    const ending = await signIn()
    const [one, other] = n % 2 === 0 ? connections : connections.toReversed()
    assert.equal((await send(other as Agent, '/api/v2/user', { token: ending })).status, 200)
    await send(one as Agent, '/api/v2/auth/logout', { method: 'POST', token: ending })
    assert.equal((await send(other as Agent, '/api/v2/user', { token: ending })).status, 401)
  }
})

test('views that one process has counted show in the other before they are written', async () => {
  const [one, other] = connections
  const id = await postFeed(one, ROUNDS)
  const views = async (agent: Agent) =>
    ((await send(agent, `/api/v2/feeds/${id}`, { token })).json as { feed_view_count: number })
      .feed_view_count
  // What was counted before is written by then: while it is, both the row and the memory of the others may show it.
  await new Promise((resolve) => setTimeout(resolve, 4000))
  const before = await views(other)
  for (let n = 0; n < 5; n += 1) await views(one)
  // They are written three seconds after the first of them.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.equal(await views(other), before + 6)
  // Once they are written, nobody adds what another told of them: sooner or later both show what they were asked for.
  let asked = before + 6
  const isExact = async (agent: Agent) => {
    asked += 1
    return (await views(agent)) === asked
  }
  const until = performance.now() + 30_000
  let exact = 0
  while (exact < 2 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 3500))
    exact = Number(await isExact(one)) + Number(await isExact(other))
  }
  assert.equal(exact, 2)
})

test('what a process has heard of another directly is not heard once more through the database', async () => {
  const made = async () => {
    const text = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text())
    return Number(/^http_kept_pages_total\{event="made"\} (\d+)/m.exec(text)?.[1] ?? 0)
  }
  const [one, other] = connections
  const names = async () =>
    ((await send(other, '/api/v2/feed/topics')).json as { name: string }[]).map(({ name }) => name)
  const before = await made()
  for (let n = 0; n < ROUNDS; n += 1) {
    const body = { name: `Heard ${n}` }
    assert.equal((await send(one, '/api/v2/feed/topics', { method: 'POST', token, body })).status, 201)
    assert.ok((await names()).includes(body.name))
    // The same comes through the database meanwhile: what was kept since then is good.
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.ok((await names()).includes(body.name))
  }
  assert.equal(await made(), before + ROUNDS)
})
