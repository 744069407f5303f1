import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { killAll, startServer } from '#test/fixtures/sites.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-invalidation-'))
await chmod(folder, 0o755)
let server: ReturnType<typeof startServer>
let address = ''
let token = ''
let connections: [Agent, Agent]
const agents: Agent[] = []

before(async () => {
  server = startServer(join(folder, 'data'), {
    PROCESSES: '2',
    RATE_LIMIT_ANONYMOUS: '1000',
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

/** Half the shortest lifetime of the tested caches (30 s), so that only an invalidation can apply a change in time. */
const WAIT_MS = 15_000

async function until(isSo: () => Promise<boolean>, what: string) {
  const end = performance.now() + WAIT_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < end, what)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('applies a changed setting in another process', async () => {
  for (let n = 0; n < 10; n += 1) {
    const [one, other] = (n % 2 === 0 ? connections : connections.toReversed()) as [Agent, Agent]
    const balance = async (agent: Agent) =>
      ((await send(agent, '/api/v2/bootstrappers', { token })).json as { checkin: { balance: number } })
        .checkin.balance
    const amount = 20 + n
    assert.notEqual(await balance(other), amount)
    const changed = await send(one, '/api/v2/admin/settings', {
      method: 'PATCH',
      token,
      body: { 'checkin:balance': amount },
    })
    assert.ok(changed.status < 300, JSON.stringify(changed.json))
    assert.equal(await balance(one), amount)
    await until(async () => (await balance(other)) === amount, 'the other process keeps the former setting')
  }
})

test('revokes a session in another process', async () => {
  for (let n = 0; n < 5; n += 1) {
    const ending = await signIn()
    const [one, other] = (n % 2 === 0 ? connections : connections.toReversed()) as [Agent, Agent]
    const status = async (agent: Agent) => (await send(agent, '/api/v2/user', { token: ending })).status
    assert.equal(await status(other), 200)
    await send(one, '/api/v2/auth/logout', { method: 'POST', token: ending })
    assert.equal(await status(one), 401)
    await until(async () => (await status(other)) === 401, 'the other process accepts the revoked sign-in')
  }
})

test('shows a new name of a sender in another process', async () => {
  const account = { name: 'follower', password: 'follower password' }
  const made = await send(connections[0], '/api/v2/admin/users', { method: 'POST', token, body: account })
  assert.equal(made.status, 201)
  const signedIn = await send(connections[0], '/api/v2/auth/login', {
    method: 'POST',
    body: { login: account.name, password: account.password },
  })
  const { access_token: own } = signedIn.json as { access_token: string }
  const me = (await send(connections[0], '/api/v2/user', { token })).json as { id: number }
  await send(connections[0], `/api/v2/user/followings/${me.id}`, { method: 'PUT', token: own })
  const senderSeen = async (agent: Agent) => {
    const { json } = await send(agent, '/api/v2/user/notifications?type=follow', { token })
    return (json as { data: { data: { sender: { name: string } } }[] }).data[0]?.data.sender.name
  }
  for (let n = 0; n < 6; n += 1) {
    const [one, other] = (n % 2 === 0 ? connections : connections.toReversed()) as [Agent, Agent]
    const name = `follower${n}`
    assert.notEqual(await senderSeen(other), name)
    const changed = await send(one, '/api/v2/user', { method: 'PATCH', token: own, body: { name } })
    assert.equal(changed.status, 204)
    assert.equal(await senderSeen(one), name)
    await until(async () => (await senderSeen(other)) === name, 'the other process shows the former name')
  }
})

test('adds up the views counted by all processes', async () => {
  const [one, other] = connections
  const id = await postFeed(one, 1)
  let asked = 0
  const views = async (agent: Agent) => {
    asked += 1
    return ((await send(agent, `/api/v2/feeds/${id}`, { token })).json as { feed_view_count: number })
      .feed_view_count
  }
  for (let n = 0; n < 5; n += 1) await views(n % 2 === 0 ? one : other)
  for (const agent of connections)
    await until(async () => {
      // Exceeds the interval between two writes of view counters.
      await new Promise((resolve) => setTimeout(resolve, 3500))
      return (await views(agent)) === asked
    }, 'views are missing')
})
