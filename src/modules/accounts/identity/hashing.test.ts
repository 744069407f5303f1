import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '#platform/errors.ts'
import { createPasswords, dummyHash, hashesAtOnce, hashPassword, verifyPassword } from './hashing.ts'

test('accepts a password only for its own hash', async () => {
  const hashed = await hashPassword('correct horse')
  assert.match(hashed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await verifyPassword(hashed, 'correct horse'), true)
  assert.equal(await verifyPassword(hashed, 'correct hors'), false)
  assert.equal(await verifyPassword(hashed, ''), false)
})

test('hashes the same password differently each time', async () => {
  const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')])
  assert.notEqual(first, second)
})

test('treats composed and decomposed letters as the same password', async () => {
  assert.equal(await verifyPassword(await hashPassword('pässwörd'), 'pässwörd'.normalize('NFD')), true)
})

test('verifies a dummy hash of the same cost when an account has no password', async () => {
  assert.equal(await verifyPassword(null, 'y'), false)
  const costOf = (hashed: string) => hashed.split('$').slice(0, 4)
  assert.deepEqual(costOf(dummyHash), costOf(await hashPassword('x')))
})

test('rejects a password with Busy when the queue for hashing is full', async () => {
  const passwords = createPasswords({ concurrency: 1, maxWaiting: 2 })
  const order: number[] = []
  const served = [0, 1, 2].map((i) => passwords.hash(`p${i}`).then(() => order.push(i)))
  await assert.rejects(passwords.hash('late'), Busy)
  await Promise.all(served)
  assert.deepEqual(order, [0, 1, 2])
  assert.match(await passwords.hash('again'), /^\$argon2id/)
})

test('releases the slot for hashing when a verification throws', async () => {
  const passwords = createPasswords({ concurrency: 1, maxWaiting: 0 })
  await assert.rejects(passwords.verify('not a hash', 'x'), (error) => !(error instanceof Busy))
  assert.match(await passwords.hash('x'), /^\$argon2id/)
})

test('divides the CPU cores for hashing between the processes', () => {
  assert.deepEqual(
    [hashesAtOnce(1, 4), hashesAtOnce(2, 4), hashesAtOnce(3, 8), hashesAtOnce(8, 4)],
    [4, 2, 2, 1],
  )
})
