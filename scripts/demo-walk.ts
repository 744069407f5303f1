/**
 * Sends the requests of existing clients to a new server: `npm run demo:walk`. Exits with 1 when a response
 * differs from the expectation.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { killAll, startServer } from '#test/fixtures/sites.ts'

const GUEST = ''
let address = ''
let steps = 0

async function step(what: string, token: string, request: string, status: number, body?: object) {
  const [method = 'GET', path = ''] = request.split(' ')
  const reply = await fetch(`${address}/api/v2${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === GUEST ? {} : { authorization: `Bearer ${token}` }),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await reply.text()
  const isJson = String(reply.headers.get('content-type')).includes('json')
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  const answer: any = isJson && text !== '' ? JSON.parse(text) : text
  steps += 1
  console.log(`${String(steps).padStart(2)}. ${what}\n    ${request} → ${reply.status}`)
  console.log(
    `    ${inspect(answer, { depth: 2, breakLength: 110, maxStringLength: 90 }).replaceAll('\n', '\n    ')}`,
  )
  assert.equal(reply.status, status, `${what}: ${text}`)
  return answer
}

async function signIn(name: string, password: string): Promise<string> {
  const { access_token } = await step(`${name} signs in`, GUEST, 'POST /auth/login', 200, {
    login: name,
    password,
  })
  return access_token
}

async function walk(): Promise<void> {
  const boot = await step('a client starts', GUEST, 'GET /bootstrappers', 200)
  assert.equal(typeof boot.registerSettings.content, 'string')
  assert.ok(['all', 'mail-only', 'mobile-only'].includes(boot.registerSettings.method))
  assert.deepEqual(boot['news:contribute'], boot.news.contribute)
  await step('the page about the site', GUEST, 'GET /aboutus', 200)
  await step('a provider outside that is not configured', GUEST, 'POST /socialite/qq', 404, {
    access_token: 'x',
  })

  const founder = await signIn('root', 'founder password')
  const password = 'a password of the walk'
  for (const [name, phone] of [
    ['walker_ada', '13800000001'],
    ['walker_bai', '13800000002'],
  ])
    await step(`the founder makes ${name}`, founder, 'POST /admin/users', 201, { name, password, phone })
  const [ada, bai] = [await signIn('walker_ada', password), await signIn('walker_bai', password)]
  const { id: adaId } = await step('who Ada is', ada, 'GET /user', 200)
  const { id: baiId } = await step('who Bai is', bai, 'GET /user', 200)

  const known = await step(
    'a number that has an account, before sign-in',
    GUEST,
    'GET /users/13800000001',
    200,
  )
  assert.deepEqual(known, { id: -1 })
  await step('a number that has none', GUEST, 'GET /users/13800000009', 404)

  const topic = await step('Ada makes a topic', ada, 'POST /feed/topics', 201, { name: 'Walks' })
  assert.equal(topic.need_review, false)
  for (const [who, token] of [
    ['Ada', ada],
    ['Bai', bai],
  ] as const)
    await step(`${who} posts into it`, token, 'POST /feeds', 201, {
      feed_content: `Hello from ${who}`,
      feed_from: 5,
      feed_mark: `walk of ${who}`,
      topics: [topic.id],
    })
  const detail = await step(
    'the topic names others than its creator',
    bai,
    `GET /feed/topics/${topic.id}`,
    200,
  )
  assert.ok(detail.participants.length === 1 && !detail.participants.includes(adaId))
  const [listed] = await step('topics in lists say more', bai, 'GET /feed/topics', 200)
  assert.deepEqual([listed.creator_user_id, listed.has_followed], [adaId, false])

  const category = await step('a category of groups', founder, 'POST /admin/group-categories', 201, {
    name: 'Towns',
  })
  const made = await step(
    'Ada makes a group that costs points to join',
    ada,
    `POST /categories/${category.id}/groups`,
    201,
    {
      name: 'Walkers',
      mode: 'paid',
      money: 10,
    },
  )
  const group = made.group.id
  await step('the founder lets it pass', founder, `PATCH /admin/groups/${group}`, 204, { audit: 1 })
  await step('the founder gives Bai points', founder, `POST /admin/users/${baiId}/points`, 201, {
    amount: 100,
    reason: 'to join',
  })
  await step('Bai asks to join', bai, `PUT /plus-group/currency-groups/${group}`, 201)
  const asked = await step('Ada is told', ada, 'GET /user/notifications?type=system', 200)
  const request = asked.data.find(({ data }: { data: { type: string } }) => data.type === 'group:join')
  assert.ok(request?.data.user.name === 'walker_bai' && request.data.group.name === 'Walkers')
  const waiting = await step('who waits', ada, `GET /plus-group/groups/${group}/members?type=audit`, 200)
  await step('Ada accepts', ada, `PATCH /groups/${group}/members/${waiting[0].id}/audit`, 201, { status: 1 })
  const told = await step('Bai is told', bai, 'GET /user/notifications?type=system', 200)
  const accepted = told.data.find(({ data }: { data: { type: string } }) => data.type === 'group:join')
  assert.deepEqual([accepted?.data.state, accepted?.data.group.name], ['passed', 'Walkers'])
  await step('an older client lists by offset', bai, 'GET /user/notifications?offset=0&limit=15', 200)
  await step('and marks everything as read', bai, 'PUT /user/notifications/all', 204)

  await step('Bai says where he is', bai, 'POST /around-amap', 201, { latitude: 30.5666, longitude: 104.062 })
  const near = await step('Ada looks around', ada, 'GET /around-amap?latitude=30.57&longitude=104.06', 200)
  assert.equal(near[0]._name, 'walker_bai')
  await step('an address that no area has', ada, 'GET /around-amap/geo?address=Nowhere', 404)
  await step('the chat password, which answers 201', ada, 'GET /easemob/password', 201)
}

const folder = await mkdtemp(join(tmpdir(), 'kith-walk-'))
const server = startServer(join(folder, 'data'), { WORKER: 'inside', LOG_LEVEL: 'info' })
try {
  address = await server.address
  await walk()
  console.log(`\n${steps} steps, every answer as clients expect it`)
} finally {
  server.child.kill('SIGTERM')
  await Promise.race([server.ended, new Promise((resolve) => setTimeout(resolve, 20_000).unref())])
  killAll()
  await rm(folder, { recursive: true, force: true })
}
