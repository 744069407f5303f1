import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecrets } from '#platform/crypto.ts'

const secrets = createSecrets('a secret for these tests')
const others = createSecrets('another secret for tests')

test('opens a sealed text', () => {
  for (const text of ['', 'x', 'påßwörd 密码 🎈', 'a'.repeat(100_000)]) {
    assert.equal(secrets.open(secrets.seal(text)), text)
  }
})

test('seals the same text differently each time', () => {
  const sealed = secrets.seal('same')
  assert.notEqual(sealed, secrets.seal('same'))
  assert.match(sealed, /^v1\.[\w-]+$/)
})

test('refuses to open a sealed value that was altered or sealed with another secret', () => {
  const sealed = secrets.seal('text')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = changed[i]! ^ 1
    assert.throws(() => secrets.open(`v1.${changed.toString('base64url')}`))
  }
  for (const bad of ['', 'v1.', sealed.slice(3), sealed.replace('v1.', 'v2.'), sealed.slice(0, 20)]) {
    assert.throws(() => secrets.open(bad))
  }
  for (const short of ['v1.', `v1.${bytes.subarray(0, 27).toString('base64url')}`])
    assert.throws(() => secrets.open(short), /too short/)
  assert.throws(() => others.open(sealed))
})

test('accepts a signature only for the signed text and with the signing secret', () => {
  const signature = secrets.sign('file 7')
  assert.match(signature, /^v1\.[\w-]{43}$/)
  assert.equal(signature, secrets.sign('file 7'))
  assert.ok(secrets.verify('file 7', signature))
  assert.ok(!secrets.verify('file 8', signature))
  assert.ok(!others.verify('file 7', signature))
  for (const bad of ['', 'v1.', signature.slice(0, -1), `${signature}=`, signature.replace('v1.', 'v2.')]) {
    assert.ok(!secrets.verify('file 7', bad))
  }
})

test('rejects a signature whose last base64url character differs only in unused bits', () => {
  const signature = secrets.sign('file 7')
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const candidate = signature.slice(0, -1) + last
    assert.equal(secrets.verify('file 7', candidate), candidate === signature)
  }
})

test('rejects a secret of less than 16 characters', () => {
  assert.throws(() => createSecrets('short'), /16 characters/)
})
