import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addJob } from '#platform/jobs'
import { createWorld } from '#test/world.ts'
import { removeBlocksOfAddress } from './index.ts'
import { findAddressBlock } from './service.ts'

let watching = false
const seen: string[] = []
const world = await createWorld(
  { TRUST_PROXY: '127.0.0.1' },
  { onQuery: ({ text }) => void (watching && seen.push(text)) },
)
const { as, guest, person, sql, ctx, work } = world
const founder = await person({ roles: ['founder'] })
const from = (address: string, more: object = {}) => ({ 'x-forwarded-for': address, ...more })
const block = (body: object, address = '203.0.113.9') =>
  as(founder, 'POST', '/admin/address-blocks', { reason: 'Spam', ...body }, from(address))
const signIn = (address: string, more: object = {}) =>
  guest('POST', '/auth/login', { login: 'nobody', password: 'no password' }, from(address, more))
const codeOf = ({ headers }: { headers: object }) => (headers as { 'x-error-code'?: string })['x-error-code']

test('rejects writes and token refreshes from a blocked network (administration-19)', async () => {
  const ann = await person()
  const made = await block({ network: '192.0.2.77/24', hours: 5 })
  assert.equal(made.status, 201)
  const [{ ends_at: end, network } = { ends_at: '', network: '' }] = (
    await as(founder, 'GET', '/admin/address-blocks')
  ).body.data
  assert.equal(network, '192.0.2.0/24')
  for (const [method, path] of [
    ['POST', '/auth/login'],
    ['GET', '/auth/refresh'],
    ['POST', '/users'],
    ['PUT', `/user/followings/${founder.id}`],
    ['DELETE', `/user/followings/${founder.id}`],
  ] as const) {
    const answer = await as(ann, method, path, method === 'GET' ? undefined : {}, from('192.0.2.5'))
    assert.deepEqual([answer.status, codeOf(answer)], [403, 'address_blocked'], path)
    assert.equal(answer.body.message, `Your address is blocked until ${end} (UTC).`)
    assert.ok(answer.headers['x-ratelimit-limit'], path)
  }
  const inChinese = await signIn('192.0.2.5', { 'accept-language': 'zh' })
  assert.equal(inChinese.body.message, `你的 IP 地址已被封禁至 ${end}（UTC）。`)
  assert.equal((await as(ann, 'GET', '/user', undefined, from('192.0.2.5'))).status, 200)
  assert.equal((await signIn('192.0.3.5')).status, 422)
  assert.equal((await as(founder, 'DELETE', `/admin/address-blocks/${made.body.id}`)).status, 204)
  assert.equal((await signIn('192.0.2.5')).status, 422)
})

test('rejects requests from a blocked network without a database query per request (administration-19)', async () => {
  await block({ network: '198.51.100.1' })
  assert.equal((await signIn('198.51.100.1')).status, 403)
  watching = true
  for (let n = 0; n < 5; n += 1)
    assert.equal(
      (await guest('POST', '/users', {}, from('198.51.100.1', { authorization: `Bearer unknown${n}` })))
        .status,
      403,
    )
  watching = false
  // The new block causes at most one reload of the cached blocks, regardless of the number of requests.
  const [reads, others] = [seen.filter((text) => text.includes('from address_blocks')), seen]
  assert.ok(reads.length <= 1)
  assert.equal(others.length, reads.length)
})

test('ignores a cached block after its end time without a cache invalidation (administration-19)', async () => {
  const network = '2001:db8:7::/48'
  const made = await block({ network, hours: 1 })
  assert.ok(await findAddressBlock(ctx, '2001:db8:7:1::1'))
  assert.equal(await findAddressBlock(ctx, '2001:db8:7:1::1', performance.now() + 3_601_000), undefined)
  assert.equal(codeOf(await block({ network })), 'network_blocked_already')
  await sql`update address_blocks set ends_at = now() - interval '1 second' where id = ${made.body.id}`
  const again = await block({ network })
  assert.equal(again.status, 201)
  const racing = await Promise.all([1, 2, 3].map(() => block({ network: '198.51.100.64/28' })))
  assert.deepEqual(racing.map(({ status }) => status).sort(), [201, 422, 422])
  await sql`update address_blocks set ends_at = now() - interval '40 days' where network = ${network}`
  await addJob(sql, 'tidy_address_blocks', {})
  await work()
  assert.equal((await sql`select from address_blocks where network = ${network}`).count, 0)
})

test("requires confirmation to block the administrator's own address (administration-19)", async () => {
  const own = await block({ network: '203.0.113.0/24' }, '203.0.113.9')
  assert.deepEqual([own.status, codeOf(own)], [422, 'blocks_own_address'])
  assert.equal((await block({ network: '203.0.113.0/24', own_address: true }, '203.0.113.9')).status, 201)
  assert.equal(codeOf(await block({ network: '10.9.9.9' }, '203.0.113.9')), 'address_blocked')
  assert.deepEqual(await removeBlocksOfAddress(ctx, '203.0.113.9'), ['203.0.113.0/24'])
  // Pauses between requests, because injected requests alone would keep the event loop from reading the
  // signal that invalidates the cached blocks.
  let status = 403
  for (let tries = 0; status === 403 && tries < 3000; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    status = (await block({ network: '10.9.9.9' }, '203.0.113.9')).status
  }
  assert.equal(status, 201)
  assert.deepEqual(await removeBlocksOfAddress(ctx, '203.0.113.9'), [])
})

test('rejects an address block above the maximum number (administration-19)', async () => {
  const [row] = await sql`select count(*)::int as n from address_blocks`
  await sql`
    insert into address_blocks (network, reason, created_by)
    select '10.' || n / 256 || '.' || n % 256 || '.0/24', 'Full', 0 from generate_series(1, ${9999 - row?.n}) n`
  assert.equal((await block({ network: '192.0.2.200' })).status, 201)
  const refused = await block({ network: '192.0.2.201' })
  assert.deepEqual([refused.status, codeOf(refused)], [422, 'too_many_address_blocks'])
  await sql`delete from address_blocks where reason = 'Full'`
})

test('rejects an invalid or overly wide network', async () => {
  for (const network of ['', 'everybody', '10.0.0.0/7', '0.0.0.0/0', '::/0', '1.2.3.4/33']) {
    const answer = await block({ network })
    assert.deepEqual([answer.status, Object.keys(answer.body.errors)], [422, ['network']], network)
  }
  assert.equal(codeOf(await block({ network: '0.0.0.0/0' })), 'network_too_wide')
  assert.equal(codeOf(await block({ network: '1.2.3.4/33' })), 'no_such_network')
  assert.equal((await block({ network: '192.0.2.9', reason: '' })).status, 422)
  assert.equal((await as(founder, 'DELETE', '/admin/address-blocks/99999999')).status, 404)
  assert.equal((await as(await person(), 'GET', '/admin/address-blocks')).status, 403)
  const log = await as(founder, 'GET', '/admin/audit-log?action=address-blocks.create')
  assert.ok(log.body.total > 0)
})
