import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '#platform/config'
import { seenAddresses } from './seen-addresses.ts'

const SITE = 'https://social.example.org'
const counterOf = (env: Record<string, string>) => {
  const counter = seenAddresses({ config: readConfig(env), state: new Map() })
  return (headers: Record<string, string>, remoteAddress = '203.0.113.9') => {
    counter.count({
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
      socket: { remoteAddress },
    } as never)
    return counter.take()
  }
}
const nothing = { own: 0, other: 0, origin: null, proxied: 0, proxy: null }

test('compares the address that browsers show with PUBLIC_URL', () => {
  const see = counterOf({ PUBLIC_URL: SITE })
  assert.deepEqual(see({ origin: SITE }), { ...nothing, own: 1 })
  assert.deepEqual(see({ referer: `${SITE}/feeds?after=3` }), { ...nothing, own: 1 })
  assert.deepEqual(see({ origin: 'http://social.example.org' }), {
    ...nothing,
    other: 1,
    origin: 'http://social.example.org',
  })
  for (const headers of [
    { origin: 'https://a.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    { referer: 'about:blank' },
    { origin: `https://${'a'.repeat(300)}.example` },
    {},
  ] as Record<string, string>[])
    assert.deepEqual(see(headers), nothing, JSON.stringify(headers))
})

test('treats the names of the own machine alike', () => {
  const see = counterOf({})
  assert.deepEqual(see({ origin: 'http://localhost:8080' }), { ...nothing, own: 1 })
  assert.equal(see({ origin: SITE }).origin, SITE)
})

test('counts private proxies that TRUST_PROXY does not list, and no address of a visitor', () => {
  const see = counterOf({ PUBLIC_URL: SITE, TRUST_PROXY: '10.0.0.0/8' })
  const through = (peer: string) => see({ origin: SITE, 'x-forwarded-for': '203.0.113.9' }, peer).proxy
  assert.equal(through('192.168.1.4'), '192.168.1.4')
  assert.equal(through('::ffff:172.18.0.1'), '172.18.0.1')
  assert.equal(through('10.0.0.7'), null)
  assert.equal(through('198.51.100.3'), null)
  assert.equal(see({ origin: SITE }, '192.168.1.4').proxy, null)
})
