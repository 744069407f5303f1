import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { connectionOf, faultOf } from './address.ts'

const folder = await mkdtemp(join(tmpdir(), 'kith-address-'))
after(() => rm(folder, { recursive: true }))
const at = (query = '', host = 'example.org') => `mysql://user:password@${host}/old${query}`

test('rejects an invalid source URL', async () => {
  for (const database of ['nonsense', 'http://example.org/old', 'mysql://user@example.org/'])
    await assert.rejects(connectionOf({ database }), /must have the form mysql:/, database)
  for (const password of ['p@ss/w:rd#1', '12/3', '12/3/4', '1?2', '1#2', 'a/b?c', 'a%b'])
    await assert.rejects(
      connectionOf({ database: `mysql://mover:${password}@127.0.0.1/old` }),
      /must be percent-encoded, such as %40 for @/,
      password,
    )
  const { password } = await connectionOf({ database: 'mysql://mover:p%40ss%2Fw%3Ard%231@127.0.0.1/old' })
  assert.equal(password, 'p@ss/w:rd#1')
  await assert.rejects(connectionOf({ database: at('?ssl=maybe') }), /must be true, verify or false/)
  for (const host of ['127.0.0.1', '[::1]'])
    await assert.rejects(connectionOf({ database: at('?ssl=verify', host) }), /requires a host name/)
})

test('uses the stricter TLS level of the source URL and the options', async () => {
  const tlsCa = join(folder, 'ca.pem')
  await writeFile(tlsCa, 'an authority')
  const tlsOf = async (query: string, more: object = {}) =>
    (await connectionOf({ database: at(query), ...more })).ssl
  assert.equal(await tlsOf(''), undefined)
  assert.deepEqual(await tlsOf('?ssl=true'), { rejectUnauthorized: false })
  assert.deepEqual(await tlsOf('', { tls: true }), { rejectUnauthorized: false })
  assert.deepEqual(await tlsOf('?ssl=verify', { tls: true }), { verifyIdentity: true })
  assert.deepEqual(await tlsOf('', { tlsCa }), { ca: 'an authority', verifyIdentity: false })
  assert.deepEqual(await tlsOf('?ssl=verify', { tlsCa }), { ca: 'an authority', verifyIdentity: true })
})

test('explains TLS errors of the source and repeats other errors', () => {
  for (const [fault, told] of [
    [{ code: 'HANDSHAKE_NO_SSL_SUPPORT', message: 'none' }, /offers no TLS/],
    [{ code: 'HANDSHAKE_SSL_ERROR', message: 'self-signed' }, /not trusted \(self-signed\).*--tls-ca FILE/],
    [{ code: 'ER_ACCESS_DENIED_ERROR', message: 'Access denied' }, /must connect with TLS/],
    [{ message: 'Unknown database' }, /^the old database reports: Unknown database$/],
  ] as const)
    assert.match(faultOf(fault, {}), told)
})

test('rejects contradictory TLS settings', async () => {
  const database = 'mysql://user:password@example.org/old?ssl=false'
  await assert.rejects(connectionOf({ database, tls: true }), /requires TLS/)
  assert.equal('ssl' in (await connectionOf({ database })), false)
})

test('suggests TLS when the source requires it', () => {
  const refusal = { message: 'Connections using insecure transport are prohibited' }
  assert.match(faultOf(refusal, {}), /requires TLS: add --tls/)
  assert.match(faultOf(refusal, { ssl: {} }), /^the old database reports/)
})
