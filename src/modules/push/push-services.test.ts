import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Server } from 'node:net'
import { after, test } from 'node:test'
import { readConfig } from '#platform/config'
import { createApns, createFcm, createJpush } from './push-services.ts'
import { createPush, type PushMessage, type PushSender, routePush } from './sender.ts'

const message = (token: string, type = 'like'): PushMessage => ({
  token,
  platform: 'android',
  title: 'Ann likes what you wrote',
  text: 'A word',
  badge: 3,
  data: { id: 7, type },
})
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const partOf = (token: string, part: number) =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())
function isSigned(token: string, key: KeyObject): boolean {
  const [head, claims, signature = ''] = token.split('.')
  return verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey(key), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
}
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

type Asked = { path: string; authorization: string; body: string }

async function startService(answer: (asked: Asked) => { status: number; body?: object }) {
  const asked: Asked[] = []
  const origin = await listen(
    createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const one = { path: request.url ?? '', authorization: request.headers.authorization ?? '', body }
      asked.push(one)
      const { status, body: told = {} } = answer(one)
      response.writeHead(status).end(JSON.stringify(told))
    }),
  )
  return { origin, asked }
}

test('sends messages through FCM', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { origin, asked } = await startService(({ path, body }) => {
    if (path === '/token') return { status: 200, body: { access_token: 'granted' } }
    const { token } = JSON.parse(body).message
    return token === 'unregistered'
      ? { status: 404, body: { error: { details: [{ errorCode: 'UNREGISTERED' }] } } }
      : { status: Number(token) }
  })
  const account = {
    project_id: 'p1',
    client_email: 'kith@p1',
    private_key: pem(privateKey),
    token_uri: `${origin}/token`,
  }
  const fcm = createFcm(account, origin)
  const outcome = await fcm.send(['200', 'unregistered', '503', '429', '400'].map((token) => message(token)))
  assert.deepEqual([outcome.gone, outcome.failed?.sort()], [['unregistered'], ['429', '503']])
  assert.deepEqual(outcome.rejected, ['400'])
  assert.equal(asked.filter(({ path }) => path === '/token').length, 1)
  const assertion = new URLSearchParams(asked[0]?.body).get('assertion') ?? ''
  assert.ok(isSigned(assertion, privateKey))
  const { iss, aud, scope } = partOf(assertion, 1)
  assert.deepEqual([iss, aud, scope.endsWith('firebase.messaging')], ['kith@p1', `${origin}/token`, true])
  const sent = asked.find(({ body }) => body.includes('"200"'))
  assert.deepEqual([sent?.path, sent?.authorization], ['/v1/projects/p1/messages:send', 'Bearer granted'])
  assert.deepEqual(JSON.parse(sent?.body ?? '').message, {
    token: '200',
    notification: { title: 'Ann likes what you wrote', body: 'A word' },
    data: { id: '7', type: 'like' },
    android: { collapse_key: 'like', notification: { notification_count: 3 } },
  })
})

test('sends messages through APNs', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const asked: { headers: Record<string, unknown>; body: string }[] = []
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    let body = ''
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      body += chunk
    })
    stream.on('end', () => {
      asked.push({ headers, body })
      const token = String(headers[':path']).split('/').at(-1) ?? ''
      const reason = { bad: 'BadDeviceToken', old: 'Unregistered' }[token]
      stream.respond({ ':status': reason ? 400 : Number(token) })
      stream.end(reason ? JSON.stringify({ reason }) : '')
    })
  })
  const origin = await listen(server as unknown as Server)
  const apns = createApns({ key: pem(privateKey), keyId: 'K1', teamId: 'T1', topic: 'org.kith' }, origin)
  const outcome = await apns.send(
    ['200', '410', 'bad', 'old', '503', '413'].map((token) => message(token, 'at')),
  )
  assert.deepEqual([outcome.gone.sort(), outcome.failed], [['410', 'bad', 'old'], ['503']])
  const sent = asked.find(({ headers }) => headers[':path'] === '/3/device/200')
  const token = String(sent?.headers.authorization).replace('bearer ', '')
  assert.ok(isSigned(token, privateKey))
  assert.deepEqual(
    [partOf(token, 0).kid, partOf(token, 1).iss, sent?.headers['apns-topic']],
    ['K1', 'T1', 'org.kith'],
  )
  assert.deepEqual(JSON.parse(sent?.body ?? '').aps, {
    alert: { title: 'Ann likes what you wrote', body: 'A word' },
    badge: 3,
    sound: 'default',
  })
})

test('reports all messages as failed when APNs is unavailable', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: pem(privateKey), keyId: 'K1', teamId: 'T1', topic: 'org.kith' }
  const outcome = await createApns(key, 'http://127.0.0.1:9').send([message('a'), message('b')])
  assert.deepEqual([outcome.gone, outcome.failed?.sort()], [[], ['a', 'b']])
})

test('sends messages through JPush', async () => {
  const { origin, asked } = await startService(({ body }) => {
    const [token] = JSON.parse(body).audience.registration_id
    return token === 'gone' ? { status: 400, body: { error: { code: 1011 } } } : { status: Number(token) }
  })
  const jpush = createJpush({ appKey: 'app', masterSecret: 'secret' }, origin)
  const outcome = await jpush.send(['200', 'gone', '500', '400'].map((token) => message(token)))
  assert.deepEqual([outcome.gone, outcome.failed], [['gone'], ['500']])
  assert.equal(asked[0]?.authorization, `Basic ${Buffer.from('app:secret').toString('base64')}`)
  const { notification } = JSON.parse(asked.find(({ body }) => body.includes('"200"'))?.body ?? '')
  assert.deepEqual(notification.ios, {
    alert: { title: 'Ann likes what you wrote', body: 'A word' },
    badge: '3',
    extras: { id: 7, type: 'like' },
  })
})

test('routes messages to the push service of each platform even when one service fails', async () => {
  const log: string[] = []
  const sender = (name: string): PushSender => ({
    async send(messages) {
      log.push(...messages.map(({ token }) => `${name} ${token}`))
      if (name === 'ios') throw new Error('away')
      return { gone: [] }
    },
  })
  const push = routePush(sender('gateway'), { ios: sender('ios') })
  const outcome = await push.send([
    { ...message('a'), platform: 'android' },
    { ...message('i'), platform: 'ios' },
    { ...message('w'), platform: 'web' },
  ])
  assert.deepEqual(
    [log.sort(), outcome],
    [['gateway a', 'gateway w', 'ios i'], { gone: [], failed: ['i'], rejected: [] }],
  )
})

test('reports incomplete settings of push services without their values', () => {
  const faultsOf = (env: Record<string, string>): string => {
    try {
      readConfig(env)
    } catch (error) {
      return String((error as Error).message)
    }
    return ''
  }
  assert.match(
    faultsOf({ FCM_SERVICE_ACCOUNT: '{"private_key": "hush"' }),
    /FCM_SERVICE_ACCOUNT must be the JSON/,
  )
  assert.doesNotMatch(faultsOf({ FCM_SERVICE_ACCOUNT: '{"private_key": "hush"' }), /hush/)
  assert.match(faultsOf({ APNS_KEY_ID: 'K1' }), /APNS_KEY, .+ belong together/)
  assert.match(faultsOf({ JPUSH_APP_KEY: 'app' }), /JPUSH_MASTER_SECRET belong together/)
  assert.equal(faultsOf({ JPUSH_APP_KEY: 'app', JPUSH_MASTER_SECRET: 'secret' }), '')
})

test('checks FCM with a `validate_only` message', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let status = 200
  const { origin, asked } = await startService(({ path }) =>
    path === '/token' ? { status: 200, body: { access_token: 'granted' } } : { status },
  )
  const account = { project_id: 'p1', client_email: 'kith@p1', private_key: pem(privateKey) }
  const fcm = createFcm({ ...account, token_uri: `${origin}/token` }, origin)
  await fcm.check?.()
  assert.deepEqual(JSON.parse(asked[1]?.body ?? ''), {
    validate_only: true,
    message: { topic: 'kith-check' },
  })
  status = 403
  await assert.rejects(async () => fcm.check?.(), /FCM answered 403/)
})

test('keeps device tokens when FCM does not know the project', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { origin } = await startService(({ path }) =>
    path === '/token'
      ? { status: 200, body: { access_token: 'granted' } }
      : { status: 404, body: { error: { status: 'NOT_FOUND' } } },
  )
  const account = { project_id: 'p1', client_email: 'kith@p1', private_key: pem(privateKey) }
  const fcm = createFcm({ ...account, token_uri: `${origin}/token` }, origin)
  assert.deepEqual((await fcm.send([message('a')])).gone, [])
})

test('checks APNs with a nonexistent device token', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = { key: pem(privateKey), keyId: 'K1', teamId: 'T1', topic: 'org.kith' }
  let answer = { status: 400, reason: 'BadDeviceToken' }
  const server = createHttp2Server()
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': answer.status })
    stream.end(JSON.stringify({ reason: answer.reason }))
  })
  const apns = createApns(key, await listen(server as unknown as Server))
  await apns.check?.()
  answer = { status: 403, reason: 'InvalidProviderToken' }
  await assert.rejects(async () => apns.check?.(), /APNs answered 403 InvalidProviderToken/)
})

test('checks JPush through its validation endpoint', async () => {
  let answer = { status: 400, body: { error: { code: 1011 } } }
  const { origin, asked } = await startService(() => answer)
  const jpush = createJpush({ appKey: 'app', masterSecret: 'secret' }, origin)
  await jpush.check?.()
  answer = { status: 401, body: { error: { code: 1004 } } }
  await assert.rejects(async () => jpush.check?.(), /JPush answered 401/)
  assert.deepEqual(
    asked.map(({ path }) => path),
    ['/v3/push/validate', '/v3/push/validate'],
  )
})

test('checks a push gateway with an empty list of messages', async () => {
  let status = 422
  const { origin, asked } = await startService(() => ({ status }))
  const gateway = createPush({ provider: 'http', url: origin, secret: 'x' })
  await gateway.check?.()
  status = 401
  await assert.rejects(async () => gateway.check?.(), /it answered 401/)
  assert.deepEqual(JSON.parse(asked[0]?.body ?? ''), { messages: [] })
})
