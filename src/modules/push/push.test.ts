import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { notify } from '#modules/notifications/index.ts'
import { revokeTokens } from '#modules/tokens/index.ts'
import { groupMaker } from '#test/fixtures/groups.ts'
import { createWorld, type Person } from '#test/world.ts'
import { pushSender } from './push-services.ts'
import { createPush, type PushMessage } from './sender.ts'

const world = await createWorld()
const { as, person, sql, ctx, work } = world
const sent: PushMessage[] = []
let gone: string[] = []
let fails = false
pushSender(ctx).send = async (messages) => {
  if (fails) throw new Error('the gateway is away')
  sent.push(...messages)
  return { gone }
}
const to = (token: string) => sent.filter((message) => message.token === token)
let causes = 0
const like = async (recipient: Person, sender: Person) => {
  causes += 1
  const cause = { type: 'feeds', id: causes }
  await notify(sql, { type: 'like', recipients: [recipient.id], senderId: sender.id, cause, data: {} })
}
const device = (who: Person, token: string, headers = {}) =>
  as(who, 'PUT', '/user/devices', { token, platform: 'ios' }, headers)

test('sends a push message in the language of each device (notifications-13)', async () => {
  const [ann, bob] = [await person(), await person()]
  assert.equal((await device(ann, 'ann-phone-1')).status, 204)
  assert.equal((await device(ann, 'ann-phone-2', { 'accept-language': 'zh-CN' })).status, 204)
  await device(bob, 'bob-phone-1')
  await like(ann, bob)
  await work()
  assert.equal(to('ann-phone-1')[0]?.title, `${bob.name} likes what you wrote`)
  assert.equal(to('ann-phone-2')[0]?.title, `${bob.name} 赞了你`)
  assert.equal(to('ann-phone-1')[0]?.data.type, 'like')
  assert.deepEqual(to('bob-phone-1'), [])
})

test('omits the text from a push message about a post in a closed group (notifications-13)', async () => {
  const { group, join, post } = groupMaker(world)
  const [ann, bob] = [await person(), await person()]
  await device(ann, 'closed-phone')
  for (const [mode, text] of [
    ['public', 'A word'],
    ['private', ''],
  ] as const) {
    const id = await group(ann, { mode })
    await join(id, ann, bob)
    await work()
    sent.length = 0
    const path = `/group-posts/${await post(ann, id)}/comments`
    assert.equal((await as(bob, 'POST', path, { body: 'A word' })).status, 201)
    await work()
    assert.deepEqual(
      to('closed-phone').map((message) => [message.title, message.text]),
      [[`${bob.name} wrote to you`, text]],
    )
  }
})

test('assigns a device to the last user who registers it', async () => {
  const [ann, bob] = [await person(), await person()]
  await device(ann, 'shared-phone')
  await device(bob, 'shared-phone')
  assert.deepEqual((await as(ann, 'GET', '/user/devices')).body, [])
  assert.equal((await as(bob, 'GET', '/user/devices')).body[0].token, 'shared-phone')
  assert.equal((await as(ann, 'DELETE', '/user/devices', { token: 'shared-phone' })).status, 204)
  assert.equal((await as(bob, 'GET', '/user/devices')).body.length, 1)
  assert.equal((await as(bob, 'DELETE', '/user/devices', { token: 'shared-phone' })).status, 204)
  await like(bob, ann)
  await work()
  assert.deepEqual(to('shared-phone'), [])
  assert.equal((await as(ann, 'PUT', '/user/devices', { token: 'x', platform: 'ios' })).status, 422)
  assert.equal((await as(ann, 'PUT', '/user/devices', { token: 'long enough', platform: 'pc' })).status, 422)
})

test('deletes a device when its session has ended or the gateway reports it as unregistered', async () => {
  const [ann, bob] = [await person(), await person()]
  await device(ann, 'signed-out-phone')
  await device(bob, 'gone-phone-1')
  await revokeTokens(ctx, sql, ann.id)
  gone = ['gone-phone-1']
  await like(ann, bob)
  await like(bob, ann)
  await work()
  gone = []
  assert.deepEqual(to('signed-out-phone'), [])
  const left = await sql`select 1 from push_devices where token in ('signed-out-phone', 'gone-phone-1')`
  assert.equal(left.length, 0)
})

test('retries push messages after an outage of the gateway', async () => {
  const [ann, bob] = [await person(), await person()]
  await device(ann, 'patient-phone')
  fails = true
  await like(ann, bob)
  await work()
  fails = false
  assert.equal((await as(ann, 'GET', '/user/notification-statistics')).body.like.badge, 1)
  await sql`update graphile_worker._private_jobs set run_at = now()`
  await work()
  assert.equal(to('patient-phone').length, 1)
})

test('stores only the latest twenty devices of a user (notifications-13)', async () => {
  const ann = await person()
  for (let number = 10; number < 32; number += 1) await device(ann, `device-${number}`)
  const tokens = (await as(ann, 'GET', '/user/devices')).body.map((each: { token: string }) => each.token)
  assert.equal(tokens.length, 20)
  assert.ok(tokens.includes('device-31') && !tokens.includes('device-10'))
})

test('returns the push tokens that the gateway reports as unregistered', async () => {
  let received: object = {}
  const gateway = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received = { authorization: request.headers.authorization, ...JSON.parse(body) }
    response.writeHead(request.url === '/fail' ? 500 : 200).end('{"gone": ["b", 3]}')
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const message: PushMessage = { token: 'b', platform: 'web', title: 'Hi', text: '', data: { type: 'like' } }
  const push = createPush({ provider: 'http', url, secret: 's3cret' })
  assert.deepEqual(await push.send([message]), { gone: ['b'] })
  assert.deepEqual(received, { authorization: 'Bearer s3cret', messages: [message] })
  await assert.rejects(
    createPush({ provider: 'http', url: `${url}/fail`, secret: 'x' }).send([message]),
    /500/,
  )
  gateway.close()
  const lines: unknown[] = []
  const log = { debug: (line: unknown) => lines.push(line) }
  await createPush({ provider: 'log', log: log as never }).send([message])
  assert.deepEqual(lines, [{ platform: 'web', type: 'like' }])
})

test('sends texts to a third-party push service only when a setting permits it (notifications-18)', async () => {
  const [ann, bob, admin] = [await person(), await person(), await person({ roles: ['founder'] })]
  await device(ann, 'private-phone')
  const textOf = async (id: number) => {
    sent.length = 0
    const cause = { type: 'feeds', id }
    const data = { contents: 'A private word' }
    await notify(sql, { type: 'comment', recipients: [ann.id], senderId: bob.id, cause, data })
    await work()
    return to('private-phone')[0]?.text
  }
  const set = (allowed: boolean) =>
    as(admin, 'PATCH', '/admin/settings', { 'notifications:push-text': allowed })
  assert.equal(await textOf(5001), 'A private word')
  ctx.config.push.jpush = { appKey: 'app', masterSecret: 'secret' }
  assert.equal(await textOf(5002), '')
  await set(true)
  assert.equal(await textOf(5003), 'A private word')
  await set(false)
  ctx.config.push.jpush = undefined
})
