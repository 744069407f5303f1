import assert from 'node:assert/strict'
import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { decrypt } from 'http_ece'
import { notify } from '#modules/notifications/index.ts'
import { issueToken, revokeTokens } from '#modules/tokens/index.ts'
import { addJob } from '#platform/jobs'
import { createWorld, type Person } from '#test/world.ts'
import { isQuiet } from './preferences.ts'
import { webPushKeys } from './web-push.ts'

const { as, person, sql, ctx, work } = await createWorld({ PUSH_ALLOW_PRIVATE: 'true' })

const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
const statuses = new Map<string, number>()
const service = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const path = request.url ?? ''
  requests.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
  response.writeHead(statuses.get(path) ?? 201).end()
}).listen(0, '127.0.0.1')
await once(service, 'listening')
after(() => service.close())
const origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`

function subscription(name: string) {
  const privateKey = createECDH('prime256v1')
  privateKey.generateKeys()
  const authSecret = randomBytes(16).toString('base64url')
  const path = `/send/${name}`
  const p256dh = privateKey.getPublicKey().toString('base64url')
  const device = { token: `${origin}${path}`, platform: 'web', keys: { p256dh, auth: authSecret } }
  const sentTo = () => requests.filter((request) => request.path === path)
  const messages = () =>
    sentTo().map(({ body }) =>
      JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey, authSecret }).toString()),
    )
  return { path, device, sentTo, messages }
}

const subscribe = async (who: Person, name: string, headers = {}) => {
  const made = subscription(name)
  assert.equal((await as(who, 'PUT', '/user/devices', made.device, headers)).status, 204)
  return made
}
let causes = 0
async function tell(recipient: Person, sender: Person, type: 'like' | 'comment' = 'like') {
  causes += 1
  const cause = { type: 'feeds', id: causes }
  const data = { contents: 'A private word', resource: { type: 'feeds', id: causes } }
  await notify(sql, { type, recipients: [recipient.id], senderId: sender.id, cause, data })
  await work()
}

test('encrypts push messages for the browser (notifications-18)', async () => {
  const [ann, bob] = [await person(), await person()]
  const browser = await subscribe(ann, 'ann', { 'accept-language': 'zh-CN' })
  await tell(ann, bob)
  const [message] = browser.messages()
  assert.deepEqual([message.title, message.badge, message.data.type], [`${bob.name} 赞了你`, 1, 'like'])
  const [{ headers } = assert.fail()] = browser.sentTo()
  assert.deepEqual([headers.topic, headers['content-encoding']], ['like', 'aes128gcm'])
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? []
  assert.equal(key, (await as(ann, 'GET', '/user/push/key')).body.public_key)
  const [head, claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(key ?? '', 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  assert.ok(
    verify(
      'sha256',
      signed,
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ),
  )
  assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).aud, origin)
})

test('creates one key pair for Web Push when several processes request keys concurrently', async () => {
  const copies = Array.from({ length: 5 }, () => ({ ...ctx, state: new Map() }))
  const keys = await Promise.all(copies.map((copy) => webPushKeys(copy)))
  assert.equal(new Set(keys.map(({ privateKey }) => privateKey)).size, 1)
  const [row] = await sql<{ private_key: string }[]>`select private_key from web_push_keys`
  assert.notEqual(row?.private_key, keys[0]?.privateKey)
})

test('deletes a push subscription that the push service reports as expired', async () => {
  const [ann, bob] = [await person(), await person()]
  const [gone, kept] = [await subscribe(ann, 'gone'), await subscribe(ann, 'kept')]
  statuses.set(gone.path, 410)
  await tell(ann, bob)
  const tokens = (await as(ann, 'GET', '/user/devices')).body.map(({ token }: { token: string }) => token)
  assert.deepEqual(tokens, [kept.device.token])
  await revokeTokens(ctx, sql, ann.id)
  await tell(ann, bob)
  assert.equal(kept.sentTo().length, 1)
})

test('rejects a push subscription whose key is not a point of the P-256 curve', async () => {
  const [ann, bob] = [await person(), await person()]
  const { device } = await subscribe(ann, 'invalid')
  const p256dh = Buffer.alloc(65, 4).toString('base64url')
  const refused = await as(ann, 'PUT', '/user/devices', { ...device, keys: { ...device.keys, p256dh } })
  assert.deepEqual([refused.status, refused.headers['x-error-code']], [422, 'no_push_key'])
  assert.deepEqual(Object.keys(refused.body.errors), ['keys'])
  await sql`update push_devices set web_p256dh = ${p256dh} where user_id = ${ann.id}`
  await tell(ann, bob)
  assert.deepEqual((await as(ann, 'GET', '/user/devices')).body, [])
})

test('retries a failed push message only for the failed devices', async () => {
  const [ann, bob] = [await person(), await person()]
  const [failing, fine] = [await subscribe(ann, 'failing'), await subscribe(ann, 'fine')]
  statuses.set(failing.path, 503)
  await tell(ann, bob)
  const jobs = JSON.stringify(await sql`select payload from graphile_worker._private_jobs`)
  assert.match(jobs, /sealed/)
  assert.ok(!jobs.includes(failing.device.token))
  statuses.delete(failing.path)
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await work()
  assert.deepEqual([failing.sentTo().length, fine.sentTo().length], [2, 1])
})

test('retries a push job of an earlier version with plain-text tokens', async () => {
  const [ann, bob] = [await person(), await person()]
  const [failing, fine] = [await subscribe(ann, 'plain'), await subscribe(ann, 'other')]
  await tell(ann, bob)
  const [row] = await sql<
    { seq: number }[]
  >`select max(seq) as seq from notifications where user_id = ${ann.id}`
  const payload = { places: [[ann.id, row?.seq]], tokens: [failing.device.token], attempt: 1 }
  await addJob(sql, 'push_notifications', payload)
  await work()
  assert.deepEqual([failing.sentTo().length, fine.sentTo().length], [2, 1])
})

test("applies a user's preferences to push messages (notifications-18)", async () => {
  const [ann, bob] = [await person(), await person()]
  const browser = await subscribe(ann, 'choosy')
  const choose = (body: object) => as(ann, 'PUT', '/user/push/preferences', body)
  const chosen = { off: ['like'], text: false, quiet: null }
  assert.deepEqual((await as(ann, 'GET', '/user/push/preferences')).body, {
    off: [],
    text: true,
    quiet: null,
  })
  assert.deepEqual((await choose(chosen)).body, chosen)
  await tell(ann, bob, 'like')
  await tell(ann, bob, 'comment')
  assert.deepEqual(
    browser.messages().map(({ data, text }) => [data.type, text]),
    [['comment', '']],
  )
  const quiet = { from: '00:00', until: '23:59', time_zone: 'Asia/Shanghai' }
  assert.deepEqual((await choose({ ...chosen, quiet })).body.quiet, quiet)
  assert.deepEqual((await as(ann, 'GET', '/user/push/preferences')).body.quiet, quiet)
  assert.equal((await choose({ ...chosen, quiet: { ...quiet, time_zone: 'Nowhere' } })).status, 422)
  assert.equal((await choose({ ...chosen, quiet: { ...quiet, from: '24:00' } })).status, 422)
  const isQuietAt = (from: string, until: string, at: string) =>
    isQuiet({ off: [], text: true, quiet: { from, until, time_zone: 'Asia/Shanghai' } }, new Date(at))
  // 23:30 in Shanghai.
  const late = '2026-01-01T15:30:00Z'
  assert.deepEqual(
    [isQuietAt('22:00', '07:00', late), isQuietAt('07:00', '22:00', late), isQuietAt('23:31', '23:30', late)],
    [true, false, false],
  )
})

test('rejects push subscriptions with invalid keys or without an HTTP URL', async () => {
  const ann = await person()
  const { device } = subscription('wrong')
  const put = async (change: object) =>
    (await as(ann, 'PUT', '/user/devices', { ...device, ...change })).status
  assert.equal(await put({ token: 'no address at all' }), 422)
  assert.equal(await put({ token: 'ftp://example.org/x' }), 422)
  assert.equal(await put({ keys: { ...device.keys, auth: 'short' } }), 422)
  assert.equal(await put({ keys: { ...device.keys, p256dh: 'short' } }), 422)
})

test('sends no push message after the session of a device has ended (notifications-18)', async () => {
  const bob = await person()
  const ends: Record<string, (who: Person) => Promise<unknown>> = {
    expired: (who) =>
      sql`update tokens set expires_at = now(), refresh_until = now() where user_id = ${who.id}`,
    changed: async (who) => {
      const password = { password: 'correct horse', password_confirmation: 'correct horse' }
      const { access_token: token } = await issueToken(sql, who.id)
      assert.equal((await as({ ...who, token }, 'PUT', '/user/password', password)).status, 204)
    },
  }
  for (const [name, end] of Object.entries(ends)) {
    const ann = await person()
    const browser = await subscribe(ann, name)
    await end(ann)
    await tell(ann, bob)
    assert.equal(browser.sentTo().length, 0, name)
    assert.equal(
      (await sql`select 1 from push_devices where token = ${browser.device.token}`).length,
      0,
      name,
    )
  }
})

test('omits notifications that the user read before the retry of a push job', async () => {
  const [ann, bob] = [await person(), await person()]
  const browser = await subscribe(ann, 'reader')
  statuses.set(browser.path, 503)
  await tell(ann, bob)
  statuses.delete(browser.path)
  await as(ann, 'PUT', '/user/notifications/all')
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await work()
  assert.equal(browser.sentTo().length, 1)
})

test('rejects a push subscription unless its URL is a public https URL without credentials (notifications-18)', async () => {
  const strict = await createWorld({ WEBHOOKS_ALLOW_PRIVATE: 'true' })
  const ann = await strict.person()
  const { device } = subscription('private')
  const put = async (token: string) =>
    (await strict.as(ann, 'PUT', '/user/devices', { ...device, token })).status
  for (const token of [
    device.token,
    'http://push.example/send',
    'https://127.0.0.1/send',
    'https://[::1]/send',
    'https://10.0.0.1/send',
    'https://localhost/send',
    'https://metadata.internal/send',
    'https://user:secret@push.example/send',
  ])
    assert.equal(await put(token), 422, token)
  assert.equal(await put('https://push.example/send'), 204)
})

test('sends no push message to the private address of a stored subscription (notifications-18)', async () => {
  const [ann, bob] = [await person(), await person()]
  const browser = await subscribe(ann, 'inside')
  ctx.config.pushAllowPrivate = false
  await tell(ann, bob)
  ctx.config.pushAllowPrivate = true
  assert.equal(browser.sentTo().length, 0)
})

test('counts outcomes of push messages by day and service (administration-27)', async () => {
  const [ann, bob, admin] = [await person(), await person(), await person({ roles: ['founder'] })]
  const ways = ['sent', 'failed', 'rejected', 'gone'] as const
  const counts = async (way: string) => {
    const { data } = (await as(admin, 'GET', `/admin/push-deliveries?way=${way}`)).body
    return ways.map((name) => Number(data[0]?.[name] ?? 0))
  }
  const [before, gateway] = [await counts('web'), await counts('gateway')]
  for (const [name, status] of [
    ['counted', 201],
    ['counted-failing', 503],
    ['counted-large', 413],
    ['counted-gone', 404],
  ] as const)
    statuses.set((await subscribe(ann, name)).path, status)
  await as(ann, 'PUT', '/user/devices', { token: 'counted-phone', platform: 'android' })
  await tell(ann, bob)
  const after = await counts('web')
  assert.deepEqual(
    after.map((count, index) => count - (before[index] ?? 0)),
    [1, 1, 1, 1],
  )
  assert.deepEqual(
    (await counts('gateway')).map((count, index) => count - (gateway[index] ?? 0)),
    [1, 0, 0, 0],
  )
  assert.equal((await as(ann, 'GET', '/admin/push-deliveries')).status, 403)
  await sql`update push_deliveries set day = day - 91`
  await addJob(sql, 'tidy_push_deliveries', {})
  await work()
  assert.deepEqual((await as(admin, 'GET', '/admin/push-deliveries')).body.data, [])
})
