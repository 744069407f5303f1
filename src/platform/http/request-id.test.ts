import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proxyFaults } from '#platform/config/config-checks.ts'
import { createWorld } from '#test/world.ts'
import { requestIds } from './server.ts'

const ask = (trusted: string | undefined, remoteAddress: string, id?: string) =>
  requestIds(trusted)({ headers: { 'x-request-id': id }, socket: { remoteAddress } } as never)

test('accepts a well-formed request id only from a trusted proxy (conventions-38)', async () => {
  const world = await createWorld({ TRUST_PROXY: '127.0.0.1' })
  const idOf = async (given: string) =>
    (await world.guest('GET', '/bootstrappers', undefined, { 'x-request-id': given })).headers['x-request-id']
  assert.equal(await idOf('edge-0123456789.abc_DEF'), 'edge-0123456789.abc_DEF')
  for (const bad of [
    'short',
    'x'.repeat(65),
    'with space in it',
    '<script>alert',
    '-begins-with-a-dash',
    'zwölf-zeichen',
  ])
    assert.notEqual(await idOf(bad), bad, bad)
  const plain = await createWorld()
  const answer = await plain.guest('GET', '/bootstrappers', undefined, { 'x-request-id': 'edge-0123456789' })
  assert.notEqual(answer.headers['x-request-id'], 'edge-0123456789')
})

test('matches trusted proxies by IP address, network or name', () => {
  const id = 'edge-0123456789'
  assert.equal(ask('10.0.0.0/8', '10.1.2.3', id), id)
  assert.equal(ask('10.0.0.0/255.0.0.0, 192.0.2.1', '::ffff:192.0.2.1', id), id)
  assert.equal(ask('loopback', '::1', id), id)
  assert.equal(ask('2001:db8::/32', '2001:db8::7', id), id)
  assert.deepEqual(proxyFaults('loopback, 10.0.0.0/255.0.0.0, 192.0.2.1, 2001:db8::/32'), [])
  for (const bad of ['10.0.0.0/255.0.255.0', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy.example'])
    assert.equal(proxyFaults(bad).length, 1, bad)
  for (const [trusted, peer] of [
    ['10.0.0.0/8', '11.1.2.3'],
    ['loopback', '10.0.0.1'],
    [undefined, '127.0.0.1'],
    ['10.0.0.0/8', ''],
  ] as const)
    assert.notEqual(ask(trusted, peer, id), id)
  assert.notEqual(ask('loopback', '127.0.0.1'), ask('loopback', '127.0.0.1'))
})
