import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { createWebhookSecret, signedHeaders } from '#modules/webhooks/service.ts'
import { isKithError, verifyWebhook } from '../../sdk/src/index.ts'
import { clientOf, createRunningWorld } from './running.ts'

const { url, person, as } = await createRunningWorld()

test('sends one idempotency key with all attempts of a payment', async () => {
  const [root, ann, bob] = [await person({ roles: ['founder'] }), await person(), await person()]
  await as(root, 'POST', `/admin/users/${ann.id}/points`, { amount: 500, reason: 'A gift' })
  const keys: (string | null)[] = []
  const { kith } = clientOf(url, ann, {
    fetch: async (input, init) => {
      const sent = input as Request
      const response = await fetch(input, init)
      if (!sent.url.includes('new-rewards')) return response
      keys.push(sent.headers.get('idempotency-key'))
      // Drops the first response after the server has performed the request.
      if (keys.length === 1) throw new TypeError('lost')
      return response
    },
  })
  await kith.post('/user/{user}/new-rewards', { params: { path: { user: bob.id } }, body: { amount: 100 } })
  assert.equal(keys.length, 2)
  assert.ok(keys[0] && keys[0] === keys[1])
  assert.equal((await kith.get('/user')).currency?.sum, 400)
})

test('exposes the price of unpaid content in the error', async () => {
  const [root, ann, bob] = [await person({ roles: ['founder'] }), await person(), await person()]
  await as(root, 'PATCH', '/admin/settings', { 'feed:paycontrol': true })
  await as(root, 'POST', `/admin/users/${ann.id}/points`, { amount: 100, reason: 'A gift' })
  const { kith: author } = clientOf(url, bob)
  const written = { feed_from: 1, feed_mark: 2, feed_content: 'A long text that costs something', amount: 30 }
  const { id: feed } = await author.post('/feeds', { body: written })
  const { kith } = clientOf(url, ann)
  const read = () => kith.get('/feeds/{feed}', { params: { path: { feed } } })
  const error = await read().catch((thrown: unknown) => thrown)
  assert.ok(isKithError(error, 'feed_not_paid'))
  const { paid_node: node, amount }: { paid_node: number; amount: number } = error.body
  assert.equal(amount, 30)
  await kith.post('/currency/purchases/{node}', { params: { path: { node } }, body: {} })
  assert.equal((await read()).feed_content, written.feed_content)
})

test('sends an operation without an idempotency key only once', async () => {
  let sent = 0
  const { kith } = clientOf(url, await person(), {
    fetch: async (input, init) => {
      sent += 1
      await fetch(input, init)
      throw new TypeError('lost')
    },
  })
  const body = { feed_from: 1, feed_mark: 1, feed_content: 'Once' }
  await assert.rejects(kith.post('/feeds', { body }), (error) => isKithError(error, 'network_error'))
  assert.equal(sent, 1)
})

test('accepts a webhook message only with a valid signature', async () => {
  const [secret, other] = [createWebhookSecret(), createWebhookSecret()]
  const body = JSON.stringify({ type: 'feed.created', data: { id: 1, text: '你好' } })
  const seconds = Math.floor(Date.now() / 1000)
  const headers = signedHeaders({ key: 'msg_1', seconds, body, secrets: [other, secret] })
  const message = await verifyWebhook({ headers, body, secrets: secret })
  assert.equal(message.id, 'msg_1')
  assert.deepEqual(message.payload, JSON.parse(body))
  const asBytes = {
    headers: new Headers(headers),
    body: new TextEncoder().encode(body),
    secrets: ['whsec_AAAA', secret],
  }
  assert.equal((await verifyWebhook(asBytes)).sentAt.getTime(), seconds * 1000)
  const old = signedHeaders({ key: 'msg_1', seconds: seconds - 301, body, secrets: [secret] })
  for (const wrong of [
    { headers, body: `${body} `, secrets: secret },
    { headers, body, secrets: createWebhookSecret() },
    { headers: { ...headers, 'webhook-id': 'msg_2' }, body, secrets: secret },
    { headers: { ...headers, 'webhook-signature': 'v1,!!! v2,x' }, body, secrets: secret },
    { headers: old, body, secrets: secret },
    { headers: {}, body, secrets: secret },
  ])
    await assert.rejects(verifyWebhook(wrong), (error) => isKithError(error, 'webhook_not_signed'))
})

test('accepts a webhook message that another implementation of Standard Webhooks signed', async () => {
  const secret = createWebhookSecret()
  const [sentAt, body] = [new Date(), JSON.stringify({ type: 'feed.created', data: {} })]
  const headers = {
    'webhook-id': 'msg_3',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_3', sentAt, body),
  }
  assert.equal((await verifyWebhook({ headers, body, secrets: secret })).id, 'msg_3')
})
