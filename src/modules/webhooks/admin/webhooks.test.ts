import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { notify, withdrawNotifications } from '#modules/notifications/index.ts'
import { publishEvent } from '#modules/webhooks/index.ts'
import { webhookTasks } from '#modules/webhooks/module.ts'
import { signedHeaders } from '#modules/webhooks/service.ts'
import { createWorld } from '#test/world.ts'

const { as, person, sql, ctx, work } = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
const admin = await person({ roles: ['founder'] })

type Got = { path: string; headers: IncomingHttpHeaders; body: string }
const got: Got[] = []
let answer: { status: number; headers?: Record<string, string> } = { status: 204 }
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  got.push({ path: request.url ?? '', headers: request.headers, body })
  response.writeHead(answer.status, answer.headers).end('seen')
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
after(() => receiver.close())
const base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`

let endpoints = 0
async function endpoint(fields: object = {}) {
  endpoints += 1
  const path = `/hook${endpoints}`
  const { status, body } = await as(admin, 'POST', '/admin/webhooks', { url: base + path, ...fields })
  assert.equal(status, 201)
  const received = () => got.filter((each) => each.path === path)
  const deliveries = async (query = '') =>
    (await as(admin, 'GET', `/admin/webhooks/${body.id}/deliveries${query}`)).body.data
  const log = async (id: number) =>
    (await as(admin, 'GET', `/admin/webhooks/${body.id}/deliveries/${id}`)).body
  const remove = () => as(admin, 'DELETE', `/admin/webhooks/${body.id}`)
  return { id: body.id as number, secret: body.secret as string, received, deliveries, log, remove }
}

async function skipTime() {
  await sql`update webhook_deliveries set next_attempt_at = now() where status = 'pending'`
  await sql`update webhook_endpoints set paused_until = null`
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await work()
}

const verified = ({ headers, body }: Got, secret: string) => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

test('signs a message like the example in the Standard Webhooks specification', () => {
  const headers = signedHeaders({
    key: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    seconds: 1614265330,
    body: '{"test": 2432232314}',
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  })
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('sends events only to webhook endpoints that subscribe to their type (notifications-14)', async () => {
  const [all, some] = [await endpoint(), await endpoint({ types: ['feed.created'] })]
  const [ann, bob] = [await person(), await person()]
  const cause = { type: 'feeds', id: 1 }
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  await publishEvent(ctx, sql, 'feed.created', { id: 1 })
  await sql
    .begin(async (tx) => {
      await publishEvent(ctx, tx, 'feed.created', { id: 2 })
      throw new Error('no')
    })
    .catch(() => {})
  await work()
  assert.deepEqual(
    some.received().map(({ body }) => JSON.parse(body).data),
    [{ id: 1 }],
  )
  const types = all.received().map(({ body }) => JSON.parse(body).type)
  assert.deepEqual(types.toSorted(), ['feed.created', 'notification.created'])
  const message = all.received().find(({ body }) => body.includes('notification.created')) as Got
  const payload = JSON.parse(message.body)
  assert.deepEqual({ ...payload.data, id: '' }, { id: '', user_id: ann.id, type: 'like' })
  assert.match(payload.timestamp, /^\d{4}-.*Z$/)
  assert.ok(verified(message, all.secret))
  assert.ok(!verified(message, some.secret))
  const [delivery] = await some.deliveries()
  assert.equal(delivery.status, 'delivered')
  const log = await some.log(delivery.id)
  assert.equal(log.log[0].status, 204)
  assert.equal(log.body, some.received()[0]?.body)
  await Promise.all([all.remove(), some.remove()])
})

test('stores no event when no webhook endpoint exists', async () => {
  const [ann, bob] = [await person(), await person()]
  const cause = { type: 'feeds', id: 77 }
  const before = await sql`select 1 from webhook_events`
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  await publishEvent(ctx, sql, 'feed.created', { id: 3 })
  assert.equal((await sql`select 1 from webhook_events`).length, before.length)
  const hook = await endpoint()
  await withdrawNotifications(sql, { cause })
  await notify(sql, { type: 'like', recipients: [ann.id], senderId: bob.id, cause, data: {} })
  await withdrawNotifications(sql, { cause })
  await work()
  assert.deepEqual(hook.received(), [])
  await hook.remove()
})

test('retries a failed webhook delivery under the same `webhook-id` (notifications-14)', async () => {
  const hook = await endpoint()
  answer = { status: 500 }
  await publishEvent(ctx, sql, 'feed.created', { id: 4 })
  await work()
  assert.equal(hook.received().length, 1)
  const [first] = await hook.deliveries()
  assert.deepEqual([first.status, first.attempts], ['pending', 1])
  assert.ok(first.next_attempt_at)
  await work()
  assert.equal(hook.received().length, 1, 'not before its time')
  answer = { status: 200 }
  await skipTime()
  assert.equal((await hook.deliveries())[0].status, 'delivered')
  assert.equal(new Set(hook.received().map(({ headers }) => headers['webhook-id'])).size, 1)

  answer = { status: 302, headers: { location: `${base}/elsewhere` } }
  await publishEvent(ctx, sql, 'feed.created', { id: 5 })
  await work()
  for (let attempt = 0; attempt < 12; attempt += 1) await skipTime()
  const [failed] = await hook.deliveries('?status=failed')
  assert.equal(failed.attempts, 10)
  assert.ok(!got.some(({ path }) => path === '/elsewhere'), 'redirects are not followed')

  answer = { status: 204 }
  const replay = await as(admin, 'POST', `/admin/webhooks/${hook.id}/deliveries/${failed.id}/replay`)
  assert.equal(replay.status, 204)
  await skipTime()
  const log = await hook.log(failed.id)
  assert.equal(log.status, 'delivered')
  assert.equal(log.log.length, 11)
  await hook.remove()
})

test('sends deliveries whose times lie in the future, because the clock of the database was ahead', async () => {
  const hook = await endpoint()
  await publishEvent(ctx, sql, 'feed.created', { id: 1 })
  const [event] = await sql<{ id: number }[]>`select max(id) as id from webhook_events`
  await webhookTasks(ctx).deliver_events?.({ ids: [event!.id] }, {} as never)
  await sql`delete from graphile_worker._private_jobs`
  await sql`update webhook_deliveries set next_attempt_at = now() + interval '2 days' where status = 'pending'`
  await sql`update webhook_endpoints set paused_until = now() + interval '2 days' where id = ${hook.id}`
  await webhookTasks(ctx).resume_webhooks?.({}, {} as never)
  await work()
  assert.equal(hook.received().length, 1)
  await hook.remove()
})

test('pauses a webhook endpoint after repeated failures', async () => {
  const hook = await endpoint()
  answer = { status: 503 }
  for (let id = 0; id < 8; id += 1) await publishEvent(ctx, sql, 'feed.created', { id })
  await work()
  assert.ok(hook.received().length >= 5 && hook.received().length < 8, `${hook.received().length} attempts`)
  answer = { status: 204 }
  const delivered = async () => (await hook.deliveries('?status=delivered')).length
  for (let round = 0; round < 20 && (await delivered()) < 8; round += 1) await skipTime()
  assert.equal(await delivered(), 8)
  assert.equal((await as(admin, 'GET', `/admin/webhooks/${hook.id}`)).body.failures, 0)
  await hook.remove()
})

test('disables a webhook endpoint that responds with 410', async () => {
  const hook = await endpoint()
  answer = { status: 410 }
  await publishEvent(ctx, sql, 'feed.created', { id: 6 })
  await work()
  assert.equal((await as(admin, 'GET', `/admin/webhooks/${hook.id}`)).body.enabled, false)
  await skipTime()
  assert.equal((await hook.deliveries())[0].status, 'cancelled')
  const path = `/admin/webhooks/${hook.id}`
  assert.equal((await as(admin, 'POST', `${path}/ping`)).status, 422)
  assert.equal((await as(admin, 'POST', `${path}/replay`, { since: '2020-01-01 00:00:00' })).status, 422)
  answer = { status: 204 }
  assert.equal((await as(admin, 'PATCH', path, { enabled: true })).status, 204)
  assert.equal((await as(admin, 'POST', `${path}/replay`, { since: '2020-13-01 00:00:00' })).status, 422)
  const replayed = await as(admin, 'POST', `${path}/replay`, { since: '2020-01-01 00:00:00' })
  assert.deepEqual(replayed.body, { count: 1 })
  await work()
  assert.equal((await hook.deliveries())[0].status, 'delivered')
  await hook.remove()
})

test('signs webhooks with both secrets after a rotation of the secret (administration-13)', async () => {
  const hook = await endpoint({ types: [] })
  const { body } = await as(admin, 'POST', `/admin/webhooks/${hook.id}/secret`)
  assert.notEqual(body.secret, hook.secret)
  const ping = await as(admin, 'POST', `/admin/webhooks/${hook.id}/ping`)
  assert.equal(ping.status, 201)
  await work()
  const [message] = hook.received()
  assert.equal(JSON.parse(message?.body ?? '{}').type, 'webhook.ping')
  assert.ok(verified(message as Got, hook.secret) && verified(message as Got, body.secret))
  await sql`update webhook_endpoints set former_until = now() where id = ${hook.id}`
  await as(admin, 'POST', `/admin/webhooks/${hook.id}/ping`)
  await work()
  assert.ok(!verified(hook.received()[1] as Got, hook.secret))
  assert.ok(verified(hook.received()[1] as Got, body.secret))
  const [row] = await sql<{ secret: string }[]>`select secret from webhook_endpoints where id = ${hook.id}`
  assert.ok(!row?.secret.includes(body.secret.slice(6, 20)), 'secrets are sealed')
  await hook.remove()
})

test('sends an overdue webhook delivery once when several jobs claim it', async () => {
  const hook = await endpoint()
  await publishEvent(ctx, sql, 'feed.created', { id: 7 })
  const [event] = await sql<{ id: number }[]>`select max(id) as id from webhook_events`
  await webhookTasks(ctx).deliver_events?.({ ids: [event!.id] }, {} as never)
  await sql`delete from graphile_worker._private_jobs`
  await sql`update webhook_deliveries set next_attempt_at = now() - interval '5 minutes' where status = 'pending'`
  const [delivery] = await hook.deliveries()
  const send = () => webhookTasks(ctx).send_webhook?.({ id: delivery.id }, {} as never)
  await webhookTasks(ctx).resume_webhooks?.({}, {} as never)
  await Promise.all([send(), send(), send(), work()])
  assert.equal(hook.received().length, 1)
  await hook.remove()
})

test('publishes ids instead of texts in webhook events', async () => {
  const hook = await endpoint({ types: ['feed.created', 'feed.deleted', 'comment.created', 'topic.created'] })
  const ann = await person()
  const feed = await as(ann, 'POST', '/feeds', {
    feed_content: 'Hello',
    feed_from: 1,
    feed_mark: `${ann.id}${Date.now()}`,
  })
  assert.equal(feed.status, 201, JSON.stringify(feed.body))
  await as(ann, 'POST', `/feeds/${feed.body.id}/comments`, { body: 'And more' })
  await as(ann, 'POST', '/feed/topics', { name: `topic ${ann.id}` })
  await as(ann, 'DELETE', `/feeds/${feed.body.id}/currency`)
  await work()
  const told = new Map(hook.received().map(({ body }) => [JSON.parse(body).type, JSON.parse(body).data]))
  assert.deepEqual(told.get('feed.created'), { id: feed.body.id, user_id: ann.id })
  assert.deepEqual(told.get('feed.deleted'), { id: feed.body.id, deleted_by: ann.id })
  assert.deepEqual(told.get('comment.created').commentable, { type: 'feeds', id: feed.body.id })
  assert.equal(told.get('topic.created').user_id, ann.id)
  await hook.remove()
})

test('deletes old webhook events with their deliveries', async () => {
  const hook = await endpoint()
  await publishEvent(ctx, sql, 'feed.created', { id: 8 })
  await work()
  await sql`update webhook_events set created_at = now() - interval '31 days'`
  await webhookTasks(ctx).tidy_webhook_events?.({}, {} as never)
  assert.deepEqual(await hook.deliveries(), [])
  await hook.remove()
})

test('lists, changes and deletes webhook endpoints', async () => {
  const [one, two] = [await endpoint({ description: 'billing system' }), await endpoint()]
  const listed = await as(admin, 'GET', '/admin/webhooks?q=BILLING')
  assert.deepEqual([listed.body.total, listed.body.data[0].id], [1, one.id])
  assert.equal(listed.body.data[0].secret, undefined)
  await publishEvent(ctx, sql, 'feed.created', { id: 10 })
  await work()
  const [delivery] = await one.deliveries()
  assert.equal((await as(admin, 'GET', `/admin/webhooks/${two.id}/deliveries/${delivery.id}`)).status, 404)
  assert.equal(
    (await as(admin, 'POST', `/admin/webhooks/${two.id}/deliveries/${delivery.id}/replay`)).status,
    404,
  )
  assert.equal((await as(admin, 'PATCH', '/admin/webhooks/999999', { url: 'x' })).status, 404)
  assert.equal(
    (await as(admin, 'PATCH', `/admin/webhooks/${one.id}`, { types: ['a.b'], url: `${base}/z` })).status,
    204,
  )
  assert.deepEqual((await as(admin, 'GET', `/admin/webhooks/${one.id}`)).body.types, ['a.b'])
  assert.equal((await as(await person(), 'GET', '/admin/webhooks')).status, 403)
  await Promise.all([one.remove(), two.remove()])
  assert.equal((await as(admin, 'GET', `/admin/webhooks/${one.id}`)).status, 404)
})
