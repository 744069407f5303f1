import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileNetworks, networkOf } from './service.ts'

test('normalizes a network and returns undefined for an invalid one', () => {
  for (const [text, network] of [
    ['192.0.2.7', '192.0.2.7/32'],
    [' 192.0.2.7/24 ', '192.0.2.0/24'],
    ['192.0.2.200/25', '192.0.2.128/25'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
    ['2001:DB8:0:1::5/64', '2001:db8:0:1::/64'],
    ['2001:db8::5', '2001:db8::5/128'],
    ['10.1.2.3/8', '10.0.0.0/8'],
  ] as const)
    assert.equal(networkOf(text), network, text)
  for (const text of [
    '',
    'x',
    '1.2.3',
    '1.2.3.4/33',
    '1.2.3.4/-1',
    '1.2.3.4/8/8',
    '0.0.0.0/0',
    '10.0.0.0/7',
    '::/8',
  ])
    assert.equal(networkOf(text), undefined, text)
  assert.equal(networkOf('::ffff:192.0.2.7/64'), undefined)
})

test('finds exactly the networks that contain an address', () => {
  const networks = compileNetworks(
    ['192.0.2.0/24', '192.0.2.128/25', '198.51.100.7/32', '2001:db8:0:1::/64'].map((network) => ({
      network,
      value: network,
    })),
  )
  assert.deepEqual(networks.find('192.0.2.5'), ['192.0.2.0/24'])
  assert.deepEqual(networks.find('192.0.2.200'), ['192.0.2.0/24', '192.0.2.128/25'])
  assert.deepEqual(networks.find('::ffff:198.51.100.7'), ['198.51.100.7/32'])
  assert.deepEqual(networks.find('2001:db8:0:1:ffff::1'), ['2001:db8:0:1::/64'])
  for (const address of ['192.0.3.5', '198.51.100.8', '2001:db8:0:2::1', '', 'unknown'])
    assert.deepEqual(networks.find(address), [], address)
  assert.deepEqual(compileNetworks([]).find('192.0.2.5'), [])
})
