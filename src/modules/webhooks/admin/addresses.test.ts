import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { publishEvent } from '#modules/webhooks/index.ts'
import { isPublicAddress, postOutbound } from '#platform/outbound.ts'
import { createWorld } from '#test/world.ts'

const { as, person, sql, ctx, work } = await createWorld()
const admin = await person({ roles: ['founder'] })

let asked = 0
const inside = createServer((_request, response) => {
  asked += 1
  response.end()
}).listen(0, '127.0.0.1')
await once(inside, 'listening')
after(() => inside.close())
const base = `http://127.0.0.1:${(inside.address() as AddressInfo).port}`

test('sends webhooks only to public addresses by default (administration-13)', async () => {
  const refused = [
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    'fe80::1',
    'fc00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'not an address',
  ]
  for (const address of refused) assert.equal(isPublicAddress(address), false, address)
  for (const address of ['93.184.216.34', '2606:4700::1111']) assert.equal(isPublicAddress(address), true)
  const post = (url: string) =>
    postOutbound(url, { headers: {}, body: '{}', timeoutMs: 2000, allowPrivate: false })
  const port = new URL(base).port
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])
    await assert.rejects(post(`http://${host}:${port}/`), /refused/, host)
  assert.equal(asked, 0)

  const urls = [
    'http://127.0.0.1/',
    'http://localhost:9/',
    'http://x.internal/',
    'http://[::1]/',
    'http://2130706433/',
    'https://name:word@example.com/',
    'ftp://example.com/',
    'nonsense',
  ]
  for (const url of urls) assert.equal((await as(admin, 'POST', '/admin/webhooks', { url })).status, 422, url)
  const hook = await as(admin, 'POST', '/admin/webhooks', { url: 'https://example.com/hook' })
  assert.equal(hook.status, 201)
  await sql`update webhook_endpoints set url = ${`${base}/inside`} where id = ${hook.body.id}`
  await publishEvent(ctx, sql, 'feed.created', { id: 9 })
  await work()
  const deliveries = await as(admin, 'GET', `/admin/webhooks/${hook.body.id}/deliveries`)
  const id = deliveries.body.data[0].id
  const { body } = await as(admin, 'GET', `/admin/webhooks/${hook.body.id}/deliveries/${id}`)
  assert.match(body.log[0].error, /^refused/)
  assert.equal(asked, 0)
  await as(admin, 'DELETE', `/admin/webhooks/${hook.body.id}`)
})
